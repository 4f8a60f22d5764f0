/*
 * Applies effects of the core, with one function for each kind. Input: an effect whose record is
 * durable (commit.h), in the order of the inputs. Output: a message, an order (signed here), a row
 * of the history, or the start of a query, a reload or a program.
 */
#include "armctld/effects.h"

#include "armctld/counters_query.h"
#include "armctld/limits_query.h"
#include "armctld/log_levels.h"
#include "armctld/register_reply.h"
#include "armctld/reload.h"
#include "armctld/name_lookup.h"
#include "armctld/notify.h"
#include "armctld/tokens.h"
#include "armctld/standby.h"
#include "util/log_peer.h"
#include "util/mem.h"

#include <stdio.h>

static void send(struct ctld *c, const struct effect *e)
{
	if (e->type == MSG_REGISTERED)
		register_reply(c, e);
	else
		sessions_send(c->sessions, e->conn, e->type, e->request, e->body, e->len);
}

static void order(struct ctld *c, const struct effect *e)
{
	Armada__Order message = ARMADA__ORDER__INIT;
	CLEANUP_BUF struct buf body = {0};
	struct order o = e->order;
	uint8_t bytes[ORDER_SIZE];

	if (order_has_body(o.kind) || e->len)
		order_digest(e->body, e->len, o.digest);
	order_encode(&o, bytes);
	order_sign(bytes, c->key.secret);
	message.order.data = bytes;
	message.order.len = sizeof(bytes);
	message.body.data = (uint8_t *)e->body;
	message.body.len = e->len;
	msg_pack(&message, &body);
	sessions_send(c->sessions, e->conn, MSG_ORDER, 0, body.data, body.len);
}

static void close_conn(struct ctld *c, const struct effect *e)
{
	sessions_close(c->sessions, e->conn, e->text);
}

static void history(struct ctld *c, const struct effect *e)
{
	history_add(c->history, e);
}

static void job_events(struct ctld *c, const struct effect *e)
{
	counters_events(&c->counters, e);
	history_add(c->history, e);
	watchers_publish(c->watchers, e);
}

static void watch(struct ctld *c, const struct effect *e)
{
	watchers_add(c->watchers, e);
}

enum { SMALL_ANSWER = 64 << 10, LARGE_ANSWER = 2 << 20 };

int64_t effect_answer_size(const struct effect *e)
{
	/* names: few are looked up at a time, and no user may take all the places */
	bool large = e->kind == EFFECT_FIND || e->kind == EFFECT_SHARES ||
		     e->kind == EFFECT_COPY_HISTORY || e->kind == EFFECT_ACCOUNTING ||
		     e->kind == EFFECT_NAMES || e->with_script || e->with_env;

	return (int64_t)e->len + (large ? LARGE_ANSWER : SMALL_ANSWER);
}

static void ask_history(struct ctld *c, const struct effect *e)
{
	sessions_owe(c->sessions, e->conn, effect_answer_size(e));
	history_ask(c->history, e);
}

enum { EXIT_REFUSED = 1, EXIT_NOT_PERMITTED = 4 };

/* The core has compared the uid. Besides, only a controller has the order key. */
static void copy_history(struct ctld *c, const struct effect *e)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	const Armada__CopyHistoryRequest *m =
		msg_unpack_own(&armada__copy_history_request__descriptor, e->body, e->len, arena);
	uint8_t binding[32];

	if (!c->replica)
		sessions_error(c->sessions, e->conn, e->request, EXIT_REFUSED,
			       "this cluster has one controller, whose history is not copied");
	else if (!m || m->proof.len != SESSION_PROOF ||
		 !sessions_binding(c->sessions, e->conn, binding) ||
		 !order_key_proves(&c->key, binding, m->proof.data))
		sessions_error(c->sessions, e->conn, e->request, EXIT_NOT_PERMITTED,
			       "only another controller may do this, which has the same order key");
	else
		ask_history(c, e);
}

static void reconfigure(struct ctld *c, const struct effect *e)
{
	reload_begin(c, e->conn, e->request, e->dry_run);
}

static void shutdown_asked(struct ctld *c, const struct effect *e)
{
	ctld_stop(c, e->text ? e->text : "asked to");
}

enum { EXIT_TRY_AGAIN = 75 };

static void explain(struct ctld *c, const struct effect *e)
{
	struct explain_question q = {.conn = e->conn,
				     .request = e->request,
				     .uid = e->viewer_uid,
				     .ask = e->ask,
				     .record = (uint8_t *)e->body,
				     .record_len = e->len,
				     .note = (char *)e->text};

	if (!c->rounds)
		sessions_error(c->sessions, e->conn, e->request, EXIT_TRY_AGAIN,
			       "the controller is stopping");
	else if (!rounds_explain(c->rounds, &q))
		sessions_error(c->sessions, e->conn, e->request, EXIT_TRY_AGAIN,
			       "too many jobs are waiting to be explained: try again");
}

static void fence(struct ctld *c, const struct effect *e)
{
	fences_add(c->fences, c->conf->nodes.fence_program, c->conf->nodes.fence_timeout_us,
		   e->text, e->fence_seq);
}

/* Lines about the jobs of a user have a limit of their own: a restart of a large array makes many. */
static void log_job(const struct effect *e)
{
	char who[LOG_PEER_NAME];
	struct log_peer_line line = {&e->from, LOG_JOBS, who, e->level, &e->about};

	snprintf(who, sizeof(who), "jobs of %s", e->about.user ? e->about.user : "nobody");
	log_peer_line(&line, "%s", e->text);
}

static void log_text(struct ctld *c, const struct effect *e)
{
	if (e->from.area == LOG_AREA_JOB && e->about.job)
		log_job(e);
	else if (e->conn)
		sessions_log(c->sessions, e);
	else
		log_line(&e->from, e->level, &e->about, "%s", e->text);
}

static void take_over(struct ctld *c, const struct effect *e)
{
	standby_take_over(c, e->text, e->conn, e->request);
}

static void (*const actions[])(struct ctld *c, const struct effect *e) = {
	/* clang-format off */
	[EFFECT_SEND]		= send,
	[EFFECT_ORDER]		= order,
	[EFFECT_CLOSE]		= close_conn,
	[EFFECT_HISTORY]	= history,
	[EFFECT_FIND]		= ask_history,
	[EFFECT_SHOW]		= ask_history,
	[EFFECT_SHARES]		= ask_history,
	[EFFECT_ACCOUNTING]	= ask_history,
	[EFFECT_FINISHED_JOBS]		= ask_history,
	[EFFECT_RECONFIGURE]	= reconfigure,
	[EFFECT_SHUTDOWN]	= shutdown_asked,
	[EFFECT_LOG]		= log_text,
	[EFFECT_EXPLAIN]	= explain,
	[EFFECT_FENCE]		= fence,
	[EFFECT_NAMES]		= name_lookup,
	[EFFECT_LIMITS]		= limits_query,
	[EFFECT_COUNTERS]	= counters_query,
	[EFFECT_JOB_EVENTS]	= job_events,
	[EFFECT_WATCH]		= watch,
	[EFFECT_LOG_LEVELS]	= log_levels_query,
	[EFFECT_NOTIFY]		= notify_query,
	[EFFECT_TOKEN]		= tokens_apply,
	[EFFECT_CONTROLLERS]	= standby_show,
	[EFFECT_TAKEOVER]	= take_over,
	[EFFECT_COPY]		= standby_change_copy,
	[EFFECT_COPY_HISTORY]	= copy_history,
	/* clang-format on */
};

void effects_apply(struct ctld *c, const struct effect *e)
{
	if ((size_t)e->kind < ARRAY_SIZE(actions) && actions[e->kind])
		actions[e->kind](c, e);
	else
		log_error("the core returned effect %d, which is unknown here", (int)e->kind);
}
