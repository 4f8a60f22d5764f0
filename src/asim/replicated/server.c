/* Servers (server.h): life, replication. Files that are damaged: server_file.c. */
#include "asim/replicated/server.h"
#include "asim/replicated/conn.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { TICK_US = 50 * MS, LINK_TIMEOUT_US = 5 * SECOND, GOOD_LAG_US = 2 * SECOND };

static void plan_pump(struct world *w, struct server *s);

static void push(struct world *w, struct server *s, struct batch *b)
{
	s->list = arena_grow(w->run, s->list, &s->cap, s->count, sizeof(*s->list));
	s->list[s->count++] = b;
	data_apply(w->run, &s->data, b);
	if (w->now_us - s->synced_us > SECOND) {
		s->synced_us = w->now_us;
		s->synced_count = s->count;
	}
}

bool server_serves(const struct world *w, const struct server *s)
{
	return s->alive && !s->paused && w->now_us >= s->loads_until_us;
}

void server_execute(struct world *w, struct server *s, struct batch *b)
{
	push(w, s, b);
	for (int i = 0; i < SERVERS; i++)
		if (w->servers[i].link_up && w->servers[i].master == s->number)
			plan_pump(w, &w->servers[i]);
}

size_t server_acked(const struct server *s, size_t count)
{
	size_t n = 0;

	for (int i = 0; i < SERVERS; i++)
		n += s->copies[i].online && s->copies[i].acked >= count;
	return n;
}

size_t server_good_replicas(const struct world *w, const struct server *s)
{
	size_t n = 0;

	for (int i = 0; i < SERVERS; i++)
		n += s->copies[i].online && w->now_us - s->copies[i].acked_us <= GOOD_LAG_US;
	return n;
}

bool server_rewrites(const struct world *w, const struct server *s)
{
	return w->now_us < s->rewrites_until_us;
}

void server_rewrite(struct world *w, struct server *s, int64_t us, bool first)
{
	s->rewrites_until_us = w->now_us + us;
	s->first_rewrite = first;
	s->rewritten = s->count;
}

bool server_stores(const struct world *w, const struct server *s, const struct entry *e)
{
	const struct entry *has = data_entry(&s->data, e->seq);

	if (s->conf != CONF_GOOD || (s->first_rewrite && server_rewrites(w, s)))
		return false;
	/* a snapshot may have replaced it */
	if (!has)
		return data_number(&s->data, "snap") >= e->seq;
	for (int i = 0; i < ENTRY_FIELDS; i++)
		if (!blob_equal(&has->fields[i], &e->fields[i]))
			return false;
	return true;
}

/* ---- replication ---- */

static bool is_cut(const struct world *w, const struct server *s)
{
	return w->cut[s->number][s->master];
}

static void take_ack(struct world *w, void *arg, uint64_t number)
{
	struct server *s = arg, *p = s->master >= 0 ? &w->servers[s->master] : NULL;

	if (!p || !s->link_up || !p->alive || is_cut(w, s) || number > s->count)
		return;
	if (number > p->copies[s->number].acked)
		p->copies[s->number].acked = number;
	p->copies[s->number].acked_us = w->now_us;
	conns_check_waits(w, p);
}

static void pump(struct world *w, void *arg, uint64_t number)
{
	struct server *s = arg, *p = s->master >= 0 ? &w->servers[s->master] : NULL;

	s->pump_planned = false;
	if (number != s->link || !s->link_up || !p || is_cut(w, s) || !server_serves(w, s))
		return;
	if (s->count == p->count)
		return;
	/* a replica has a beginning of what its primary has */
	assert(s->count == 0 ||
	       (s->count < p->count && s->list[s->count - 1] == p->list[s->count - 1]));
	while (s->count < p->count)
		push(w, s, p->list[s->count]);
	world_plan(w, world_latency_us(w), take_ack, s, s->count);
}

static void plan_pump(struct world *w, struct server *s)
{
	if (!s->pump_planned)
		world_plan(w, world_latency_us(w), pump, s, s->link);
	s->pump_planned = true;
}

static void break_link(struct world *w, struct server *s)
{
	if (s->master >= 0)
		w->servers[s->master].copies[s->number] = (struct copy_link){0};
	s->link_up = false;
	s->link++;
}

static void set_online(struct world *w, struct server *s, struct server *p)
{
	s->link_up = true;
	s->replid = p->replid;
	s->replid2 = 0;
	p->copies[s->number] = (struct copy_link){true, true, s->count, w->now_us};
	plan_pump(w, s);
}

/* The replica has got all of the memory of the primary. */
static void finish_full_sync(struct world *w, void *arg, uint64_t number)
{
	struct server *s = arg, *p = s->master >= 0 ? &w->servers[s->master] : NULL;

	if (number != s->link || !p || !server_serves(w, s) || !server_serves(w, p) ||
	    !p->primary || is_cut(w, s))
		return;
	data_clear(&s->data);
	s->count = 0;
	for (size_t i = 0; i < p->count; i++)
		push(w, s, p->list[i]);
	s->synced_count = s->count;
	s->changed_us = w->now_us;
	server_rewrite(w, s,
		       200 * MS + (int64_t)world_random(w, (world_random(w, 4) ? 2 : 8) * SECOND),
		       true);
	world_trace(w, "redis%d is a full copy of redis%d, %zu batches", s->number, p->number,
		    s->count);
	set_online(w, s, p);
}

/* PSYNC. */
static void connect_to(struct world *w, struct server *s, struct server *p)
{
	bool partial = (s->replid == p->replid && s->count <= p->count) ||
		       (s->replid == p->replid2 && s->count <= p->replid2_count);

	s->link++;
	s->linked_from_us = w->now_us;
	if (partial) {
		set_online(w, s, p);
		return;
	}
	p->full_syncs++;
	p->copies[s->number] = (struct copy_link){.known = true};
	world_plan(w, 50 * MS + (int64_t)world_random(w, 300 * MS), finish_full_sync, s, s->link);
}

static void keep_link(struct world *w, struct server *s, struct server *p)
{
	if (!is_cut(w, s))
		s->cut_from_us = w->now_us;
	if (!p->alive || !p->primary || w->now_us - s->cut_from_us > LINK_TIMEOUT_US) {
		break_link(w, s);
		return;
	}
	if (is_cut(w, s) || s->paused)
		return;
	plan_pump(w, s);
	world_plan(w, world_latency_us(w), take_ack, s, s->count);
}

void server_tick(struct world *w, struct server *s)
{
	struct server *p = s->master >= 0 ? &w->servers[s->master] : NULL;

	if (!s->alive || s->primary || !p)
		return;
	if (s->link_up)
		keep_link(w, s, p);
	else if (server_serves(w, s) && server_serves(w, p) && p->primary && !is_cut(w, s) &&
		 w->now_us - s->linked_from_us > 500 * MS)
		connect_to(w, s, p);
}

/* ---- roles ---- */

static uint64_t new_replid(struct world *w)
{
	return 1 + world_random(w, UINT64_C(1) << 60);
}

static void drop_replicas(struct world *w, struct server *s)
{
	for (int i = 0; i < SERVERS; i++) {
		if (w->servers[i].master == s->number && w->servers[i].link_up)
			break_link(w, &w->servers[i]);
		s->copies[i] = (struct copy_link){0};
	}
}

void server_promote(struct world *w, struct server *s)
{
	if (s->primary)
		return;
	break_link(w, s);
	s->primary = true;
	s->master = -1;
	s->replid2 = s->replid;
	s->replid2_count = s->count;
	s->replid = new_replid(w);
	conns_drop(w, s, false);
	world_trace(w, "redis%d becomes the primary, %zu batches, record %" PRIu64, s->number,
		    s->count, data_number(&s->data, "seq"));
}

void server_follow(struct world *w, struct server *s, int master)
{
	if (!s->primary && s->master == master)
		return;
	world_trace(w, "redis%d follows redis%d", s->number, master);
	drop_replicas(w, s);
	if (!s->primary)
		break_link(w, s);
	s->primary = false;
	s->master = master;
	s->linked_from_us = 0;
	conns_drop(w, s, true);
}

/* ---- life ---- */

static void begin_process(struct world *w, struct server *s)
{
	s->run++;
	snprintf(s->run_id, sizeof(s->run_id), "%040" PRIx64, new_replid(w));
	s->replid = new_replid(w);
	s->replid2 = 0;
	s->alive = true;
	s->paused = false;
	s->full_memory = false;
	s->rewrites_until_us = 0;
	s->first_rewrite = false;
	s->scripts = 0;
	s->link_up = false;
	s->linked_from_us = 0;
	s->synced_us = w->now_us;
	s->synced_count = s->count;
}

void server_start(struct world *w, struct server *s)
{
	size_t count = s->count;

	if (s->alive || s->stays_down)
		return;
	begin_process(w, s);
	data_clear(&s->data);
	s->count = 0;
	/* it leaves out what the user default may not run (hole 12) */
	for (size_t i = 0; i < count; i++)
		if (s->conf != CONF_DEFAULT_USER || !s->list[i]->of_script)
			push(w, s, s->list[i]);
	s->loads_until_us = w->now_us + 10 * MS;
	world_trace(w, "redis%d starts as %s, %zu batches, record %" PRIu64, s->number,
		    s->primary ? "primary" : "replica", s->count, data_number(&s->data, "seq"));
}

void server_kill(struct world *w, struct server *s, bool power)
{
	if (!s->alive)
		return;
	if (s->first_rewrite && server_rewrites(w, s)) {
		s->count = 0; /* hole 2 */
		w->severe = true;
	}
	if (power && s->conf == CONF_FSYNC && s->synced_count < s->count)
		s->count = s->synced_count;
	s->alive = false;
	s->changed_us = w->now_us;
	drop_replicas(w, s);
	if (s->master >= 0)
		break_link(w, s);
	conns_drop(w, s, false);
	world_trace(w, "redis%d is killed, %zu batches on disk", s->number, s->count);
}

void server_pause(struct world *w, struct server *s, bool on)
{
	if (s->alive && s->paused != on)
		world_trace(w, "redis%d %s", s->number, on ? "is stopped" : "goes on");
	s->paused = on && s->alive;
}

static void tick(struct world *w, void *arg, uint64_t number)
{
	for (int i = 0; i < SERVERS; i++)
		server_tick(w, &w->servers[i]);
	world_plan(w, TICK_US, tick, arg, number);
}

void servers_init(struct world *w)
{
	w->servers = arena_zalloc(w->run, SERVERS, sizeof(*w->servers));
	for (int i = 0; i < SERVERS; i++) {
		struct server *s = &w->servers[i];

		s->number = i;
		s->conf = CONF_GOOD;
		s->primary = i == 0;
		s->master = i ? 0 : -1;
		begin_process(w, s);
		s->replid = 1;
	}
	world_plan(w, 0, tick, NULL, 0);
}
