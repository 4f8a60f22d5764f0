#include "armctld/ctld.h"
#include "util/log.h"
#include "util/mem.h"

enum { EXIT_REFUSED = 1, EXIT_TRY_AGAIN = 75 };

/* Read on a worker thread (names are looked up there), taken or refused on the loop. */
struct reload {
	struct ctld *ctld;
	uint64_t conn;
	uint32_t request;
	char *file;
	struct conf *conf;
	struct policy *policy;
	int rc;
	struct err err;
};

static void work(void *arg)
{
	struct reload *r = arg;

	r->rc = conf_load(&r->conf, r->file, &r->err);
	if (r->rc == 0)
		r->rc = policy_new(&r->policy, r->conf, &r->err);
}

static void refuse(struct ctld *c, uint64_t conn, uint32_t request, int code, const char *text)
{
	log_error("armada.conf stays as it was: %s", text);
	if (conn)
		sessions_error(c->sessions, conn, request, code, text);
}

/* May it be taken while we run? Only the scheduler has taken it then. */
static int acceptable(struct reload *r)
{
	struct ctld *c = r->ctld;
	struct plugins next;
	CLEANUP_BUF struct buf keys = {0};
	int rc;

	if (r->rc < 0)
		return r->rc;
	conf_reload_refusals(c->boot, r->conf, &keys);
	if (keys.len)
		return err_set(&r->err, -1, "%s: needs a restart of armctld: %s", r->conf->file,
			       (char *)keys.data);
	rc = plugins_renew(&c->plugins, r->conf, &next, &r->err);
	return rc < 0 ? rc : ctld_reconfigure_rounds(c, r->conf, r->policy, &next, &r->err);
}

static void take(struct reload *r)
{
	struct ctld *c = r->ctld;
	struct input in = {.kind = INPUT_POLICY,
			   .conn = r->conn,
			   .request = r->request,
			   .policy = &r->policy->core};
	int level = log_level_of(r->conf->log_level);
	struct conf *old_conf = c->conf;
	struct policy *old_policy = c->policy;

	c->conf = r->conf;
	c->policy = r->policy;
	ctld_input(c, &in);
	policy_free(old_policy);
	if (old_conf != c->boot)
		conf_free(old_conf);
	if (!c->level_given && level >= 0)
		log_set_level(level);
	log_notice("armada.conf was read again: %s", c->conf->file);
}

static void done(void *arg)
{
	struct reload *r = arg;
	struct ctld *c = r->ctld;
	bool taken = !c->stopping && acceptable(r) == 0;

	c->reloading = false;
	if (taken) {
		take(r);
	} else {
		if (!c->stopping)
			refuse(c, r->conn, r->request, EXIT_REFUSED, r->err.text);
		policy_free(r->policy);
		conf_free(r->conf);
	}
	free(r->file);
	free(r);
}

void ctld_reload(struct ctld *c, uint64_t conn, uint32_t request)
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
	r->file = xstrdup(c->conf_file);
	pool_run(c->pool, work, done, r);
}
