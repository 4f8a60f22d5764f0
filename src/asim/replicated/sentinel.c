/* Sentinels (sentinel.h). A view with a higher epoch replaces others wherever the machines are connected. */
#include "asim/replicated/sentinel.h"
#include "asim/replicated/reply.h"

#include <stdio.h>

enum { TICK_US = 100 * MS, DOWN_US = SECOND, CONVERT_US = 2 * SECOND };

struct sentinels {
	struct view {
		int primary;
		uint64_t epoch;
		int64_t down_from_us[SERVERS]; /* 0: it is up */
		int64_t differs_from_us
			[SERVERS]; /* the server has another role than it should have */
	} view[SERVERS];
	int64_t next_us; /* the earliest next failover */
};

redisReply *sentinel_reply(struct world *w, int machine)
{
	redisReply *r = reply_array(2);
	char host[8];
	int n = snprintf(host, sizeof(host), "r%d", w->sentinels->view[machine].primary);

	r->element[0] = reply_text(host, (size_t)n);
	r->element[1] = reply_text("6379", 4);
	return r;
}

void sentinels_set(struct world *w, int primary)
{
	for (int i = 0; i < SERVERS; i++) {
		w->sentinels->view[i].primary = primary;
		w->sentinels->view[i].epoch = w->sentinels->view[0].epoch + 1;
	}
}

int sentinels_primary(const struct world *w)
{
	const struct view *best = &w->sentinels->view[0];

	for (int i = 1; i < SERVERS; i++)
		if (w->sentinels->view[i].epoch > best->epoch)
			best = &w->sentinels->view[i];
	return best->primary;
}

static void look(struct world *w, int i)
{
	struct view *v = &w->sentinels->view[i];

	for (int k = 0; k < SERVERS; k++) {
		bool up = !w->cut[i][k] && server_serves(w, &w->servers[k]);

		if (up)
			v->down_from_us[k] = 0;
		else if (!v->down_from_us[k])
			v->down_from_us[k] = w->now_us;
		if (!w->cut[i][k] && w->sentinels->view[k].epoch > v->epoch) {
			v->epoch = w->sentinels->view[k].epoch;
			v->primary = w->sentinels->view[k].primary;
		}
	}
}

static bool finds_down(const struct world *w, int i, int primary)
{
	const struct view *v = &w->sentinels->view[i];

	return v->primary == primary && v->down_from_us[primary] &&
	       w->now_us - v->down_from_us[primary] >= DOWN_US;
}

/* The replica with the most data that this sentinel can reach; NULL: there is none. */
static struct server *best_replica(struct world *w, int i)
{
	struct server *best = NULL;

	for (int k = 0; k < SERVERS; k++) {
		struct server *s = &w->servers[k];

		if (k == w->sentinels->view[i].primary || w->sentinels->view[i].down_from_us[k] ||
		    s->primary)
			continue;
		if (!best || s->count > best->count)
			best = s;
	}
	return best;
}

static void fail_over(struct world *w, int i)
{
	struct sentinels *all = w->sentinels;
	int old = all->view[i].primary, votes = 0;
	struct server *s;

	for (int k = 0; k < SERVERS; k++)
		votes += !w->cut[i][k] && finds_down(w, k, old);
	if (!finds_down(w, i, old) || votes < 2 || w->now_us < all->next_us)
		return;
	s = best_replica(w, i);
	all->next_us = w->now_us + SECOND + (int64_t)world_random(w, SECOND);
	if (!s)
		return;
	all->view[i].epoch++;
	all->view[i].primary = s->number;
	w->count.failovers++;
	server_promote(w, s);
}

/* Servers that this sentinel reaches get the role that it knows. */
static void convert(struct world *w, int i)
{
	struct view *v = &w->sentinels->view[i];

	for (int k = 0; k < SERVERS; k++) {
		struct server *s = &w->servers[k];
		bool right = k == v->primary || (!s->primary && s->master == v->primary);

		if (right || v->down_from_us[k] || v->down_from_us[v->primary])
			v->differs_from_us[k] = 0;
		else if (!v->differs_from_us[k])
			v->differs_from_us[k] = w->now_us;
		else if (w->now_us - v->differs_from_us[k] > (s->primary ? CONVERT_US : 200 * MS))
			server_follow(w, s, v->primary);
	}
}

static void tick(struct world *w, void *arg, uint64_t number)
{
	for (int i = 0; i < SERVERS; i++)
		look(w, i);
	for (int i = 0; i < SERVERS; i++) {
		fail_over(w, i);
		convert(w, i);
	}
	world_plan(w, TICK_US, tick, arg, number);
}

void sentinels_init(struct world *w)
{
	w->sentinels = arena_zalloc(w->run, 1, sizeof(*w->sentinels));
	world_plan(w, 0, tick, NULL, 0);
}
