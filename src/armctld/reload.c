/*
 * Reads armada.conf again (reload.h). Input: the file. Output: the new configuration in all parts, or
 * in none; a text for the client. A dry run only reports the changes.
 *
 * A worker reads the file and looks up its names. The loop compares it with the present configuration,
 * loads plugins, reconfigures the scheduler, which may refuse, and passes the new policy to the core.
 * If a change needs a restart, the reload is refused, and the error has its keys.
 */
#include "armctld/reload.h"

#include "armctld/scheduler.h"
#include "armctld/setup.h"
#include "util/log_peer.h"
#include "util/mem.h"
#include "wire/worker.h"

#include <errno.h>

enum { EXIT_REFUSED = 1, EXIT_TRY_AGAIN = 75 };

/* Read on a worker thread, which also looks up names; applied or refused on the loop. */
struct reload {
	struct worker_task task;
	struct ctld *ctld;
	uint64_t conn;
	uint32_t request;
	bool dry_run, old_classes;
	char *file;
	struct conf *conf;
	struct policy *policy;
	struct plugins next; /* with conf */
	bool renewed;        /* next is set */
	struct arena *arena;
	struct conf_changes changes;
	int rc;
	struct err err;
};

static void work(struct worker_task *t)
{
	struct reload *r = (struct reload *)t;

	r->rc = conf_load(&r->conf, r->file, &r->err);
	if (r->rc == 0)
		r->rc = setup_take_name(r->conf, r->ctld->boot->name, r->ctld->host, &r->err);
	if (r->rc == 0 && r->old_classes)
		r->rc = conf_keep_old_classes(r->conf, &r->err);
	if (r->rc == 0)
		r->rc = policy_new(&r->policy, r->conf, &r->err);
}

static void refuse(struct ctld *c, uint64_t conn, uint32_t request, int code, const char *text)
{
	log_error("armada.conf was not applied: %s", text);
	if (conn)
		sessions_error(c->sessions, conn, request, code, text);
}

/* Compare with the present configuration; a change that needs a restart is an error. */
static int compare(struct reload *r)
{
	CLEANUP_BUF struct buf keys = {0};

	conf_compare(r->ctld->conf, r->conf, r->arena, &r->changes);
	conf_refusals(&r->changes, &keys);
	if (!keys.len)
		return 0;
	return err_set(&r->err, -EBUSY, "%s: needs a restart of armctld: %s", r->conf->file,
		       (char *)keys.data);
}

/*
 * Check whether it can be applied without a restart. Plugins are loaded first, because their
 * options are unknown before.
 */
static int examine(struct reload *r)
{
	int rc = r->rc;

	if (rc == 0)
		rc = compare(r);
	if (rc == 0)
		rc = plugins_renew(&r->ctld->plugins, r->conf, &r->next, &r->err);
	if (rc < 0)
		return rc;
	r->renewed = true;
	return compare(r);
}

/* On success only the scheduler has applied it. */
static int reconfigure_scheduler(struct reload *r)
{
	r->renewed = false;
	return scheduler_reconfigure(r->ctld, r->conf, r->policy, &r->next, &r->err);
}

static void send_policy(struct reload *r)
{
	struct input in = {.kind = INPUT_POLICY,
			   .conn = r->conn,
			   .request = r->request,
			   .policy = &r->policy->core,
			   .changes = &r->changes,
			   .dry_run = r->dry_run};

	ctld_input(r->ctld, &in);
}

void reload_log(struct ctld *c)
{
	int level = log_level_of(c->conf->log_level);

	if (!c->level_given && level >= 0)
		log_set_level((enum log_level)level);
	if (!c->format_given)
		log_set_format(log_format_of(c->conf->log_format));
	log_peer_limit((unsigned)c->conf->limits.log_lines);
}

static void apply(struct reload *r)
{
	struct ctld *c = r->ctld;
	struct conf *old_conf = c->conf;
	struct policy *old_policy = c->policy;

	c->conf = r->conf;
	c->policy = r->policy;
	send_policy(r);
	policy_free(old_policy);
	if (old_conf != c->boot)
		conf_free(old_conf);
	r->conf = NULL;
	r->policy = NULL;
	reload_log(c);
}

/* A dry run reports all changes, also those that need a restart. */
static int dry_run(struct reload *r)
{
	int rc = examine(r);

	if (rc == 0)
		rc = scheduler_try(r->conf, r->policy, &r->next, &r->err);
	/* -EBUSY from reading the file or the directory is not a result of the comparison */
	if (rc < 0 && (rc != -EBUSY || !r->policy))
		return rc;
	send_policy(r);
	return 0;
}

static int answer(struct reload *r)
{
	int rc;

	if (r->dry_run)
		return dry_run(r);
	rc = examine(r);
	if (rc == 0)
		rc = reconfigure_scheduler(r);
	if (rc == 0)
		apply(r);
	return rc;
}

static void done(struct worker_task *t)
{
	struct reload *r = (struct reload *)t;
	struct ctld *c = r->ctld;

	c->reloading = false;
	if (!c->stopping && answer(r) < 0) {
		if (r->dry_run)
			sessions_error(c->sessions, r->conn, r->request, EXIT_REFUSED, r->err.text);
		else
			refuse(c, r->conn, r->request, EXIT_REFUSED, r->err.text);
	}
	if (r->renewed)
		plugins_drop(&r->next, &c->plugins);
	policy_free(r->policy);
	conf_free(r->conf);
	arena_free(r->arena);
	free(r->file);
	free(r);
}

void reload_begin(struct ctld *c, uint64_t conn, uint32_t request, bool dry_run)
{
	struct reload *r;

	if (c->stopping)
		return;
	if (c->reloading) {
		refuse(c, conn, request, EXIT_TRY_AGAIN, "armada.conf is being read already");
		return;
	}
	c->reloading = true;
	r = xcalloc(1, sizeof(*r));
	r->ctld = c;
	r->conn = conn;
	r->request = request;
	r->dry_run = dry_run;
	r->old_classes = c->old_classes;
	r->file = xstrdup(c->conf_file);
	r->arena = arena_new(0);
	r->task = (struct worker_task){.run = work, .done = done};
	workers_give(c->workers, &r->task);
}
