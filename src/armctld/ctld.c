#include "armctld/ctld.h"
#include "sched/configure.h"
#include "util/notify.h"
#include "util/log.h"
#include "util/mem.h"

#include <errno.h>
#include <event2/event.h>
#include <signal.h>
#include <sodium.h>
#include <time.h>

/* Records between two snapshots; how long the last answers may take to leave. */
enum { SNAPSHOT_RECORDS = 200000, STOP_S = 30, DRAIN_MS = 10 };

static int64_t clock_us(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

int64_t ctld_steady_us(void)
{
	return clock_us(CLOCK_BOOTTIME);
}

int64_t ctld_wall_us(void)
{
	return clock_us(CLOCK_REALTIME);
}

void ctld_input(struct ctld *c, struct input *in)
{
	struct output out = {0};

	if (c->stopping)
		return;
	in->wall_us = ctld_wall_us();
	in->steady_us = ctld_steady_us();
	core_input(c->core, in, &out);
	if (c->rounds && out.record)
		rounds_record(c->rounds, out.record, out.record_len);
	if (c->rounds && out.wants_round)
		rounds_wanted(c->rounds);
	if (out.unfinished && c->again)
		event_add(c->again, &(struct timeval){0, 0});
	/* last: effects that leave at once may come back as further inputs */
	commit_output(c->commit, &out);
}

static void add_chunk(void *arg, const void *data, size_t len)
{
	snapshot_add(arg, data, len);
}

void ctld_snapshot(struct ctld *c)
{
	struct snapshot *s = snapshot_new(core_seq(c->core));
	int64_t start_us = ctld_steady_us();

	core_snapshot(c->core, add_chunk, s);
	c->snapshot_seq = s->seq;
	log_info("snapshot at record %llu: %zu chunks, taken in %lld ms",
		 (unsigned long long)s->seq, s->count,
		 (long long)(ctld_steady_us() - start_us) / 1000);
	commit_snapshot(c->commit, s);
}

static void on_decisions(void *arg, const struct sched_result *result,
			 const struct round_facts *facts, size_t from, size_t upto)
{
	struct input in = {
		.kind = INPUT_DECISIONS,
		.decisions = result,
		.from = from,
		.upto = upto,
		.round = facts->number,
		.round_start_us = facts->start_us,
		.round_took_us = facts->took_us,
	};

	faults_note(&((struct ctld *)arg)->faults, result->fault, ctld_steady_us());
	ctld_input(arg, &in);
}

static void on_explained(void *arg, const struct question *q)
{
	struct input in = {
		.kind = INPUT_EXPLAINED,
		.conn = q->conn,
		.request = q->request,
		.ask = q->ask,
		.explanation = q->known ? &q->explanation : NULL,
	};

	ctld_input(arg, &in);
}

/* For the search of the change that would start a job. */
enum { EXPLAIN_US = 2000000 };

static struct sched_config sched_config(const struct plugin *kinds,
					const struct core_policy *policy)
{
	return (struct sched_config){
		.resources = conf_resources,
		.resource_count = CONF_RESOURCES,
		.classes = policy->classes,
		.class_count = policy->class_count,
		.fairness = &kinds[ARMADA_PLUGIN_FAIRNESS],
		.order = &kinds[ARMADA_PLUGIN_ORDER],
		.preempt = &kinds[ARMADA_PLUGIN_PREEMPT],
		.select = &kinds[ARMADA_PLUGIN_SELECT],
		.limits = policy->limits,
		.user_most = policy->user_most,
		.users = policy->users,
		.user_count = policy->user_count,
		.partial_gangs = true,
	};
}

static struct rounds_config rounds_config(const struct conf *conf)
{
	return (struct rounds_config){
		.cycle_period_us = conf->scheduler.cycle_period_us,
		.max_round_us = conf->scheduler.max_round_us,
		.explain_us = EXPLAIN_US,
	};
}

int ctld_start_rounds(struct ctld *c, struct err *err)
{
	static const struct rounds_ops ops = {on_decisions, on_explained};
	struct sched_config config = sched_config(c->plugins.kinds, &c->policy->core);
	struct rounds_config limits = rounds_config(c->conf);
	struct sched *s = sched_new(&config, err);
	struct mirror *m;

	if (!s)
		return err_prefix(err, -1, "%s", c->conf->file);
	m = mirror_new(s, conf_resources, CONF_RESOURCES);
	core_fill_mirror(c->core, m);
	randombytes_buf(&limits.seed, sizeof(limits.seed));
	c->rounds = rounds_new(c->base, s, m, &limits, &ops, c);
	rounds_wanted(c->rounds);
	return 0;
}

int ctld_reconfigure_rounds(struct ctld *c, const struct conf *conf, const struct policy *policy,
			    struct plugins *next, struct err *err)
{
	struct sched *s = rounds_pause(c->rounds);
	struct rounds_config limits = rounds_config(conf);
	struct plugins old = c->plugins;
	struct sched_config config;
	int rc;

	c->plugins = *next; /* in place: the scheduler knows them by where they are */
	config = sched_config(c->plugins.kinds, &policy->core);
	rc = sched_reconfigure(s, &config, err);
	if (rc < 0)
		c->plugins = old;
	rounds_resume(c->rounds, rc < 0 ? NULL : &limits);
	plugins_drop(rc < 0 ? next : &old, &c->plugins);
	return rc < 0 ? err_prefix(err, rc, "%s", conf->file) : 0;
}

int ctld_try_rounds(const struct conf *conf, const struct policy *policy,
		    const struct plugins *next, struct err *err)
{
	struct sched_config config = sched_config(next->kinds, &policy->core);
	struct sched *s = sched_new(&config, err);

	if (!s)
		return err_prefix(err, -EINVAL, "%s", conf->file);
	sched_free(s);
	return 0;
}

static void on_tick(evutil_socket_t fd, short what, void *arg)
{
	struct ctld *c = arg;
	struct input in = {.kind = INPUT_TICK};

	(void)fd, (void)what;
	ctld_input(c, &in);
	if (!c->stopping && core_seq(c->core) - c->snapshot_seq >= SNAPSHOT_RECORDS)
		ctld_snapshot(c);
}

static void on_signal(evutil_socket_t number, short what, void *arg)
{
	struct ctld *c = arg;

	(void)what;
	if (number == SIGHUP)
		ctld_reload(c, 0, 0, false);
	else
		ctld_stop(c, number == SIGTERM ? "SIGTERM" : "SIGINT");
}

/* Everything durable, written and sent? Then out. */
static void on_drain(evutil_socket_t fd, short what, void *arg)
{
	struct ctld *c = arg;
	bool late = ctld_steady_us() >= c->stop_by_us;

	(void)fd, (void)what;
	if (!late && (!commit_idle(c->commit) || sessions_pending(c->sessions)))
		return;
	if (late)
		log_warn("not everything could be sent before the end");
	event_base_loopbreak(c->base);
}

void ctld_stop(struct ctld *c, const char *why)
{
	struct timeval pause = {0, DRAIN_MS * 1000};

	if (c->stopping)
		return;
	log_notice("stopping: %s", why);
	notify_systemd("STOPPING=1");
	c->stopping = true;
	sessions_stop_listening(c->sessions);
	rounds_free(c->rounds);
	c->rounds = NULL;
	if (core_seq(c->core) > c->snapshot_seq)
		ctld_snapshot(c);
	c->stop_by_us = ctld_steady_us() + STOP_S * INT64_C(1000000);
	c->drain = event_new(c->base, -1, EV_PERSIST, on_drain, c);
	event_add(c->drain, &pause);
}

void ctld_run(struct ctld *c)
{
	static const int numbers[SIGNALS] = {SIGTERM, SIGINT, SIGHUP};
	struct timeval second = {1, 0};

	for (size_t i = 0; i < SIGNALS; i++) {
		c->signals[i] = evsignal_new(c->base, numbers[i], on_signal, c);
		event_add(c->signals[i], NULL);
	}
	c->tick = event_new(c->base, -1, EV_PERSIST, on_tick, c);
	event_add(c->tick, &second);
	c->again = evtimer_new(c->base, on_tick, c);
	event_add(c->again, &(struct timeval){0, 0}); /* there may be something left from before */
	notify_systemd("READY=1");
	event_base_dispatch(c->base);
}
