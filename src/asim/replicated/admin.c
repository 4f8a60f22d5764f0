/* The administrator (admin.h). */
#include "asim/replicated/admin.h"
#include "asim/replicated/controller.h"
#include "asim/replicated/sentinel.h"
#include "asim/replicated/server.h"

#include <string.h>

enum { PATIENCE_US = 15 * SECOND };

static void start(struct world *w, void *arg, uint64_t number)
{
	(void)number;
	server_start(w, arg);
}

/* A server with the wrong settings gets the right ones, one server at a time. */
static bool correct(struct world *w)
{
	for (int i = 0; i < SERVERS; i++) {
		struct server *s = &w->servers[i];

		if (s->conf == CONF_GOOD)
			continue;
		world_trace(w, "the administrator corrects redis%d", i);
		server_kill(w, s, false);
		s->conf = CONF_GOOD;
		world_plan(w, SECOND, start, s, 0);
		return true;
	}
	return false;
}

static struct server *complete_server(struct world *w)
{
	for (int i = 0; i < SERVERS; i++)
		if (w->servers[i].alive && truth_is_on(w, &w->servers[i]))
			return &w->servers[i];
	return NULL;
}

bool admin_gives_up(const struct world *w)
{
	for (int i = 0; i < SERVERS; i++)
		if (!w->servers[i].alive || truth_is_on(w, &w->servers[i]))
			return false;
	return true;
}

/* redis-check-aof --fix: what the cut has left may be enough. */
static void fix_files(struct world *w)
{
	for (int i = 0; i < SERVERS; i++) {
		struct server *s = &w->servers[i];

		if (!s->stays_down)
			continue;
		world_trace(w, "the administrator fixes the file of redis%d", i);
		s->stays_down = false;
		server_start(w, s);
	}
}

/* A copy that has everything becomes the primary, and the others copy it. */
static void repair(struct world *w)
{
	struct server *s = complete_server(w);

	if (!s) {
		fix_files(w);
		return;
	}
	world_trace(w, "the administrator makes redis%d the primary", s->number);
	for (int i = 0; i < SERVERS; i++) {
		struct server *other = &w->servers[i];

		if (other == s)
			continue;
		server_kill(w, other, false);
		other->count = 0;
		other->primary = false;
		other->master = s->number;
		other->stays_down = false;
		world_plan(w, SECOND, start, other, 0);
	}
	sentinels_set(w, s->number);
	server_promote(w, s);
}

static void tick(struct world *w, void *arg, uint64_t number)
{
	struct server *primary = &w->servers[sentinels_primary(w)];
	int64_t quiet_us = w->now_us - w->truth->acked_us;

	(void)number;
	for (int i = 0; i < SERVERS; i++) {
		struct server *s = &w->servers[i];

		if (!s->stays_down || s == primary)
			continue;
		world_trace(w, "the administrator empties redis%d", i);
		s->stays_down = false;
		s->primary = false;
		s->master = primary->number;
		s->count = 0;
		server_start(w, s);
	}
	if (quiet_us > PATIENCE_US && !correct(w) && (!primary->alive || !truth_is_on(w, primary)))
		repair(w);
	world_plan(w, SECOND, tick, arg, 0);
}

void admin_heal(struct world *w)
{
	for (int a = 0; a < MACHINES; a++)
		for (int b = 0; b < a; b++)
			world_cut(w, a, b, false);
	for (int i = 0; i < SERVERS; i++) {
		server_pause(w, &w->servers[i], false);
		w->servers[i].full_memory = false;
		server_start(w, &w->servers[i]);
	}
	for (int i = 0; i < CONTROLLERS; i++)
		controller_pause(w, &w->controllers[i], false);
}

void admin_init(struct world *w)
{
	world_plan(w, SECOND, tick, NULL, 0);
}
