/*
 * All notify targets (notify.h). Input: the list `notify` of armada.conf and mail_program. Output: a feed for
 * each target; for mail one of jobs, and one of elements for arrays with a mail for each (ARRAY_TASKS).
 */
#define LOG_AREA LOG_AREA_NOTIFY
#include "armctld/notify.h"

#include "armctld/ctld.h"
#include "armctld/notify_feed.h"
#include "armctld/notify_json.h"
#include "armctld/notify_mail.h"
#include "conf/conf.h"
#include "util/log.h"
#include "util/mem.h"

enum { MAIL_FEEDS = 2 };

#define MAIL_TIMEOUT_US INT64_C(60000000)

struct notify {
	struct notify_feed **feeds;
	size_t count;
};

static bool make_end(const struct armada_history_place *place, const void *data, size_t len,
		     struct arena *a, struct armada_notify_end *ret_end)
{
	Armada__JobRow *row = msg_unpack_own(&armada__job_row__descriptor, data, len, a);
	CLEANUP_BUF struct buf text = {0};

	if (!row)
		return false;
	notify_json(place, row, &text);
	ret_end->json = arena_strdup(a, (char *)text.data);
	ret_end->json_len = text.len;
	return true;
}

static void add(struct notify *n, const struct notify_feed_config *config,
		const struct notify_target *target)
{
	struct err err;

	if (notify_feed_new(&n->feeds[n->count], config, target, &err) == 0)
		n->count++;
	else
		log_error("%s: this target is not notified", err.text);
}

static void add_mail(struct notify *n, const struct notify_feed_config *config, const char *program)
{
	struct notify_target target = {.name = "mail",
				       .plugin = "mail",
				       .target = program,
				       .timeout_us = MAIL_TIMEOUT_US,
				       .which = ARMADA_ENDS_JOBS,
				       .from_now = true,
				       .make = notify_mail_job};

	add(n, config, &target);
	target.name = "mail-elements";
	target.which = ARMADA_ENDS_ALL;
	target.make = notify_mail_element;
	add(n, config, &target);
}

struct notify *notify_new(const struct conf *conf, const struct armada_state_ops *state,
			  void *handle, uint64_t seq)
{
	const struct notify_feed_config config = {state, handle, conf->state_dir, conf->plugin_dir,
						  seq};
	bool mails = *conf->mail_program;
	struct notify *n;

	if (!conf->notify_count && !mails)
		return NULL;
	if (!state->ends_find) {
		log_error("the state plugin does not list ends: nothing is notified");
		return NULL;
	}
	n = xcalloc(1, sizeof(*n));
	n->feeds = xcalloc(conf->notify_count + MAIL_FEEDS, sizeof(*n->feeds));
	for (size_t i = 0; i < conf->notify_count; i++)
		add(n, &config,
		    &(struct notify_target){.name = conf->notify[i].name,
					    .plugin = conf->notify[i].plugin,
					    .target = conf->notify[i].target,
					    .timeout_us = conf->notify[i].timeout_us,
					    .make = make_end});
	if (mails)
		add_mail(n, &config, conf->mail_program);
	return n;
}

void notify_free(struct notify *n)
{
	if (!n)
		return;
	for (size_t i = 0; i < n->count; i++)
		notify_feed_free(n->feeds[i]);
	free(n->feeds);
	free(n);
}

uint64_t notify_behind(const struct notify *n)
{
	uint64_t most = 0;

	for (size_t i = 0; n && i < n->count; i++) {
		struct notify_status s;

		notify_feed_status(n->feeds[i], &s);
		if (s.behind > most)
			most = s.behind;
	}
	return most;
}

static Armada__NotifyRow *row_of(struct notify_feed *f, struct arena *a)
{
	Armada__NotifyRow *row = arena_alloc(a, sizeof(*row));
	const struct notify_target *t = notify_feed_target(f);
	struct notify_status s;

	notify_feed_status(f, &s);
	armada__notify_row__init(row);
	row->name = (char *)t->name;
	row->plugin = (char *)t->plugin;
	row->target = (char *)t->target;
	row->seq = s.place.seq;
	row->job = s.place.job > INT64_MAX - 1 ? 0 : s.place.job;
	row->behind = s.behind;
	row->accepted = s.accepted;
	row->error = arena_strdup(a, s.error);
	row->since_us = s.since_us;
	return row;
}

void notify_query(struct ctld *c, const struct effect *e)
{
	CLEANUP_ARENA struct arena *a = arena_new(0);
	Armada__NotifyReply reply = ARMADA__NOTIFY_REPLY__INIT;
	CLEANUP_BUF struct buf packed = {0};
	size_t count = c->notify ? c->notify->count : 0;

	reply.rows = arena_alloc(a, (count + 1) * sizeof(*reply.rows));
	for (size_t i = 0; i < count; i++)
		reply.rows[reply.n_rows++] = row_of(c->notify->feeds[i], a);
	msg_pack(&reply, &packed);
	sessions_send(c->sessions, e->conn, MSG_NOTIFY_REPLY, e->request, packed.data, packed.len);
}
