/*
 * Startup and release of the controller. Input: armada.conf. Output: a controller that listens, or
 * an error before it answers any request.
 *
 * Recovery of the log: the state plugin opens the state directory, which locks it, and cuts
 * incomplete records at the end of the log; these were never acknowledged. The core restores the
 * latest snapshot and folds every record after it (replay.c), which gives exactly the state before
 * the crash, because only the fold changes the state. Replayed records cause no effects except rows
 * of the history: rows after the last one that the history has are written again, which changes
 * nothing if they exist. Then INPUT_BEGIN starts a new epoch, which makes orders of the earlier
 * process stale. After that the scheduler is filled from the core, and the sockets open. What the
 * core holds only in memory (connections, reasons, expected starts) comes back with the
 * registrations of the nodes and the first rounds. A failed append must end the process
 * (commit_failed), because only a new start can tell what reached the disk. An append that lacks only
 * space is repeated (commit.c).
 */
#include "config.h"

#include "armctld/snapshot_child.h"
#include "armctld/startup.h"

#include "armctld/again.h"
#include "armctld/effects.h"
#include "armctld/loop.h"
#include "armctld/notify.h"
#include "armctld/policy_class.h"
#include "armctld/reload.h"
#include "armctld/replay.h"
#include "armctld/scheduler.h"
#include "armctld/setup.h"
#include "armctld/tokens.h"
#include "armctld/standby.h"
#include "core/view/rights.h"
#include "util/clock.h"
#include "util/log_peer.h"
#include "util/mem.h"
#include "util/rlimits.h"
#include "wire/worker.h"

#include <event2/event.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_TRY_AGAIN = 75, WORKERS = 4, IDENTITY_TTL_S = 300, HELD_S = 1, HELD_PAUSE_MS = 20 };

static int configure(struct ctld *c, struct err *err)
{
	int rc = conf_load(&c->conf, c->conf_file, err);

	if (rc < 0)
		return rc;
	rc = setup_take_name(c->conf, c->name, c->host, err);
	if (rc < 0)
		return rc;
	resource_table_keep();
	c->boot = c->conf;
	reload_log(c);
	rc = policy_start(&c->policy, c->conf, err);
	if (rc < 0)
		return rc;
	rc = setup_check_user(c->conf, c->policy, err);
	if (rc < 0)
		return rc;
	if (c->policy->controller_uid == c->policy->agent_uid || c->policy->controller_uid == 0)
		log_notice("controller_user is %s and agent_user is %s: to separate the network "
			   "processes of nodes from their launchers, use two users other than root",
			   c->conf->controller_user, c->conf->agent_user);
	return 0;
}

/*
 * Retry for a second: a controller that was just killed may hold the lock until the kernel has
 * ended it, while a running one holds it for longer.
 */
static int open_state(struct ctld *c, const struct plugin *state, struct err *err)
{
	const struct timespec pause = {.tv_nsec = HELD_PAUSE_MS * 1000000};
	int64_t until_us = clock_us(CLOCK_BOOTTIME) + HELD_S * INT64_C(1000000);
	struct armada_error why;
	int rc;

	c->state = state->ops;
	for (;;) {
		rc = c->state->open(&c->state_handle, c->conf->state_dir, state->values,
				    &plugin_host, &c->found, &why);
		if (rc >= 0)
			return 0;
		c->state_handle = NULL;
		if (rc != -EBUSY || clock_us(CLOCK_BOOTTIME) >= until_us)
			return err_set(err, rc, "%s", why.text);
		nanosleep(&pause, NULL);
	}
}

static int open_plugins(struct ctld *c, struct err *err)
{
	const struct plugin *auth, *state;
	int rc = plugins_load(&c->plugins, c->conf, err);

	if (rc < 0)
		return rc;
	auth = &c->plugins.kinds[ARMADA_PLUGIN_AUTH];
	state = &c->plugins.kinds[ARMADA_PLUGIN_STATE];
	c->auth = auth->ops;
	rc = plugin_open_auth(auth, &c->auth_handle, err);
	if (rc == 0)
		rc = open_state(c, state, err);
	if (rc < 0)
		return rc;
	return order_key_load(c->conf->state_dir, c->found.cluster_id, c->state->replica != NULL,
			      &c->key, err);
}

static void send_effects(void *arg, const struct effect *effects, size_t count)
{
	standby_check_lease(arg);
	for (size_t i = 0; i < count; i++)
		effects_apply(arg, &effects[i]);
}

static void writing(void *arg, uint64_t conn, int64_t bytes)
{
	struct ctld *c = arg;

	sessions_commit(c->sessions, conn, bytes);
}

static void waiting(void *arg, uint64_t conn, int64_t bytes)
{
	struct ctld *c = arg;

	sessions_owe(c->sessions, conn, bytes);
}

static void durable(void *arg, uint64_t seq)
{
	struct ctld *c = arg;

	standby_durable(c);
	history_mark(c->history, seq);
}

void startup_failed(struct ctld *c, bool again, const char *sentence)
{
	if (!again || (c->stopping && !c->restarts)) {
		log_error("stopping at once: %s", sentence);
		_exit(1);
	}
	log_warn("this controller starts again as a standby: %s", sentence);
	again_now();
}

/*
 * A failed write or fsync is never retried: only the next start can tell what reached the disk. A lost lead
 * (-ESTALE) damages nothing.
 */
static void commit_failed(void *arg, int code, const char *sentence)
{
	CLEANUP_FREE char *text = xasprintf("the log cannot be written: %s", sentence);

	startup_failed(arg, code == -ESTALE, text);
}

static void on_finished_jobs(void *arg, const struct effect *e,
			     const struct core_finished_job *finished, size_t count)
{
	struct ctld *c = arg;
	const struct input found = {.past = finished, .finished_count = count};

	sessions_owe(c->sessions, e->conn, -effect_answer_size(e));
	sessions_redeliver(c->sessions, e, &found);
}

static void on_answer(void *arg, const struct effect *e, const struct history_answer *answer)
{
	struct ctld *c = arg;

	if (e->kind == EFFECT_WATCH) {
		watchers_page(c->watchers, e, answer);
		return;
	}
	sessions_owe(c->sessions, e->conn, -effect_answer_size(e));
	sessions_send(c->sessions, e->conn, answer->type, e->request, answer->body.data,
		      answer->body.len);
}

static void from_session(void *arg, struct input *in)
{
	struct ctld *c = arg;

	if (in->kind == INPUT_CLOSED) {
		history_gone(c->history, in->conn);
		watchers_closed(c->watchers, in->conn);
	}
	if (c->standing.standby)
		standby_input(c, in);
	else if (in->kind == INPUT_MESSAGE && disk_refuses(&c->disk, in->type))
		sessions_error(c->sessions, in->conn, in->request, EXIT_TRY_AGAIN, c->disk.text);
	else
		ctld_input(c, in);
}

static bool is_admin(void *arg, const struct caller *who)
{
	const struct ctld *c = arg;

	return rights_is_admin(&c->policy->core, who);
}

static const struct token *token(void *arg, const char *text, struct err *err)
{
	return tokens_find(arg, text, err);
}

static const struct token *token_of(void *arg, uint64_t number)
{
	return tokens_valid(arg, number);
}

static int vouches(void *arg, uint32_t gateway_uid, const struct caller *who, struct err *err)
{
	return tokens_vouches(arg, gateway_uid, who, err);
}

/* Half of the open files is for users, a third for nodes, the rest for the state and its like. */
static void allow_conns(const struct conf_limits *l, struct net_limits *ret_limits)
{
	uint64_t files = rlimit_raise_files();

	files = files > UINT32_MAX ? UINT32_MAX : files;
	ret_limits->agents = (uint32_t)(files / 3);
	ret_limits->conns = (uint32_t)l->conns;
	if ((uint64_t)l->conns <= files / 2)
		return;
	ret_limits->conns = (uint32_t)(files / 2);
	log_notice("limits.conns is %" PRId64 ", but at most %" PRIu64 " files may be open: users "
		   "get %" PRIu32 " connections",
		   l->conns, files, ret_limits->conns);
}

static void count_refusal(void *arg, int exit_code)
{
	counters_refused(&((struct ctld *)arg)->counters, exit_code);
}

static void make_sessions(struct ctld *c)
{
	const struct conf_limits *l = &c->conf->limits;
	struct sessions_config config = {
		.base = c->base,
		.policy = {.cluster = c->conf->cluster,
			   .host = c->host,
			   .self = ROLE_SERVER,
			   .agent_uids = {c->policy->agent_uid},
			   .agent_uid_count = 1,
			   .trust_kernel = c->conf->trust_kernel,
			   .standing = c->state->replica ? &c->standing : NULL},
		.auth = c->auth,
		.auth_handle = c->auth_handle,
		.limits = {.conns_per_uid = (uint32_t)l->conns_per_uid,
			   .requests_per_second = (uint32_t)l->requests_per_second,
			   .requests_burst = (uint32_t)l->requests_burst,
			   .handshakes_per_address = (uint32_t)l->handshakes_per_address,
			   .handshakes = (uint32_t)l->handshakes,
			   .large_per_user = (uint32_t)l->large_requests_per_user,
			   .large_total = (uint32_t)l->large_requests,
			   .output_soft = (size_t)l->output_per_connection,
			   .output_per_user = (size_t)l->output_per_user,
			   .output_total = (size_t)l->output_total,
			   .commit_per_user = (size_t)l->commit_per_user,
			   .output_timeout_ms = (uint32_t)(l->output_timeout_us / 1000)},
		.identities = c->identities,
		.input = from_session,
		.refused = count_refusal,
		.privileged = is_admin,
		.token = token,
		.token_of = token_of,
		.vouches = vouches,
		.arg = c,
	};

	allow_conns(l, &config.limits);
	c->sessions = sessions_new(&config);
}

static void ask_events(void *arg, const struct effect *e)
{
	struct ctld *c = arg;

	history_ask(c->history, e);
}

static const struct conf_limits *present_limits(void *arg)
{
	const struct ctld *c = arg;

	return &c->conf->limits;
}

static void make_watchers(struct ctld *c)
{
	const struct watchers_config config = {
		.base = c->base,
		.sessions = c->sessions,
		/* before the connection is closed, so that a reader that comes back learns of it */
		.stall_us = c->conf->limits.output_timeout_us / 2,
		.ask = ask_events,
		.limits = present_limits,
		.arg = c,
	};

	c->watchers = watchers_new(&config);
}

static void on_fenced(void *arg, const char *node, uint64_t seq, bool fenced, const char *text)
{
	struct input in = {.kind = INPUT_FENCED,
			   .node = node,
			   .fence_seq = seq,
			   .fenced = fenced,
			   .text = text};

	ctld_input(arg, &in);
}

static void on_outside(void *arg, const char *resource, int64_t outside, const char *text)
{
	struct input in = {
		.kind = INPUT_FLOATING, .resource = resource, .outside = outside, .text = text};

	ctld_input(arg, &in);
}

/* The state keeps the classes that were shipped when it was made until armada.conf has its own. */
static int keep_old_classes(struct ctld *c, struct err *err)
{
	int rc;

	c->old_classes = core_keeps_old_classes(c->core);
	if (!c->old_classes || conf_lists_classes(c->conf))
		return 0;
	log_notice("the state was made when the default priority classes were armada-default and "
		   "armada-preemptible, both with priority 1000: they stay in effect until %s has "
		   "priority_classes (armada.conf(5) has the present defaults)",
		   c->conf->file);
	rc = conf_keep_old_classes(c->conf, err);
	return rc < 0 ? rc : policy_classes(c->policy, c->conf, err);
}

int startup_lead(struct ctld *c, uint64_t epoch, struct err *err)
{
	static const struct commit_ops commit_ops = {send_effects, writing, waiting, durable,
						     commit_failed};
	struct input begin = {
		.kind = INPUT_BEGIN, .host = c->host, .release = PACKAGE_VERSION, .epoch = epoch};
	int rc = keep_old_classes(c, err);

	if (rc == 0)
		rc = core_has_resources(c->core, err);
	if (rc < 0)
		return rc;
	c->fences = fences_new(c->base, on_fenced, c);
	c->sources = floating_sources_new(c->base, on_outside, c);
	c->commit = commit_new(c->base, c->state, c->state_handle, &commit_ops, c);
	disk_look(&c->disk, c->state, c->state_handle, c->conf->state_dir);
	ctld_input(c, &begin);
	c->notify = notify_new(c->conf, c->state, c->state_handle, core_seq(c->core));
	return scheduler_start(c, err);
}

/* As this controller is before it leads. */
static int start_replica(struct ctld *c, struct err *err)
{
	if (strlen(c->conf->name) > ARMADA_REPLICA_NAME_MAX)
		return err_set(err, -EINVAL, "the name '%s' of this controller is too long",
			       c->conf->name);
	snprintf(c->standing.name, sizeof(c->standing.name), "%.63s", c->conf->name);
	c->standing.standby = true;
	replica_facts(c->conf, &c->key, &c->facts);
	return 0;
}

static int start_controller(struct ctld *c, struct err *err)
{
	int rc;

	c->core = core_new(&c->policy->core);
	c->history = history_new(c->base, c->state, c->state_handle, c->found.history_seq,
				 on_answer, on_finished_jobs, c);
	rc = replay_state(c, err);
	if (rc == 0 && c->state->replica)
		rc = start_replica(c, err);
	if (rc < 0)
		return rc;
	c->workers = workers_new(c->base, WORKERS);
	c->name_workers = workers_new(c->base, 1);
	c->identities = identity_cache_new(c->workers, IDENTITY_TTL_S * INT64_C(1000000), NULL);
	make_sessions(c);
	make_watchers(c);
	if (!c->state->replica)
		rc = startup_lead(c, 0, err);
	if (rc == 0)
		rc = sessions_listen(c->sessions, c->conf, err);
	if (rc == 0 && c->state->replica)
		rc = standby_begin(c, err);
	return rc;
}

int startup_begin(struct ctld *c, const char *conf_file, struct err *err)
{
	int rc;

	c->conf_file = conf_file;
	if (sodium_init() < 0)
		return err_set(err, -ENOSYS, "libsodium cannot be used here");
	signal(SIGPIPE, SIG_IGN);
	if (gethostname(c->host, sizeof(c->host) - 1) < 0)
		snprintf(c->host, sizeof(c->host), "localhost");
	rc = configure(c, err);
	if (rc == 0)
		rc = open_plugins(c, err);
	if (rc < 0) {
		startup_release(c);
		return rc;
	}
	c->base = event_base_new();
	if (c->base)
		event_base_priority_init(c->base, LOOP_PRIORITIES);
	rc = start_controller(c, err);
	if (rc < 0) {
		startup_release(c);
		return rc;
	}
	if (c->commit)
		log_notice("cluster %s, epoch %llu, at record %llu", c->conf->cluster,
			   (unsigned long long)core_epoch(c->core),
			   (unsigned long long)core_seq(c->core));
	return 0;
}

static void release_events(struct ctld *c)
{
	for (size_t i = 0; i < SIGNALS; i++)
		if (c->signals[i])
			event_free(c->signals[i]);
	if (c->tick)
		event_free(c->tick);
	if (c->again)
		event_free(c->again);
	if (c->drain)
		event_free(c->drain);
}

void startup_release(struct ctld *c)
{
	c->stopping = true;
	release_events(c);
	fences_free(c->fences);
	floating_sources_free(c->sources);
	rounds_free(c->rounds);
	workers_free(c->name_workers);
	workers_free(c->workers); /* its tasks are returned to sessions and callers */
	snapshot_child_free(c->snapshot_child);
	commit_free(c->commit);
	history_copy_free(c->history_copy);
	replica_free(c->replica, *c->heir ? c->heir : NULL);
	watchers_free(c->watchers);
	c->watchers = NULL;
	sessions_free(c->sessions);
	identity_cache_free(c->identities);
	history_free(c->history);
	notify_free(c->notify);
	core_free(c->core);
	if (c->base)
		event_base_free(c->base);
	if (c->state_handle)
		c->state->close(c->state_handle);
	if (c->auth_handle)
		c->auth->close(c->auth_handle);
	plugins_done(&c->plugins);
	faults_done(&c->faults);
	policy_free(c->policy);
	if (c->boot != c->conf)
		conf_free(c->boot);
	conf_free(c->conf);
	order_key_clear(&c->key);
	buf_done(&c->facts);
	memset(c, 0, sizeof(*c));
}
