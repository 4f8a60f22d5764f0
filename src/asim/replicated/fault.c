/*
 * Faults (fault.h). While they are on, one happens about every two seconds, in a third of the cases together
 * with another one. Each ends by itself. A new row changes the run of every seed.
 */
#include "asim/replicated/fault.h"
#include "asim/replicated/controller.h"
#include "asim/replicated/server.h"
#include "asim/replicated/sentinel.h"

/* Longer than a lease, and than the time after which sentinels replace a primary. */
enum { LONG_US = 8 * SECOND };

static int64_t some_time(struct world *w)
{
	return 100 * MS + (int64_t)world_random(w, LONG_US);
}

static struct controller *leader(struct world *w)
{
	for (int i = 0; i < CONTROLLERS; i++)
		if (w->controllers[i].acts)
			return &w->controllers[i];
	return &w->controllers[world_random(w, CONTROLLERS)];
}

static struct server *primary(struct world *w)
{
	return &w->servers[sentinels_primary(w)];
}

static struct server *any_server(struct world *w)
{
	return world_random(w, 2) ? primary(w) : &w->servers[world_random(w, SERVERS)];
}

/* ---- controllers ---- */

static void kill_leader(struct world *w)
{
	w->count.kills++;
	controller_kill(w, leader(w));
}

static void kill_controller(struct world *w)
{
	w->count.kills++;
	controller_kill(w, &w->controllers[world_random(w, CONTROLLERS)]);
}

static void end_pause(struct world *w, void *arg, uint64_t number)
{
	(void)number;
	controller_pause(w, arg, false);
}

static void pause_leader(struct world *w)
{
	struct controller *c = leader(w);

	w->count.pauses++;
	controller_pause(w, c, true);
	world_plan(w, some_time(w), end_pause, c, 0);
}

static void hand_over(struct world *w)
{
	struct controller *c = leader(w);
	int heir = (int)world_random(w, CONTROLLERS);

	controller_resign(w, c, heir == c->number ? -1 : heir);
}

/* ---- links ---- */

static void end_cut(struct world *w, void *arg, uint64_t side)
{
	(void)arg;
	for (int a = 0; a < MACHINES; a++)
		for (int b = 0; b < MACHINES; b++)
			if ((side >> a & 1) != (side >> b & 1))
				world_cut(w, a, b, false);
}

/* The machines of the set can reach each other, and no others. */
static void split(struct world *w, uint64_t side)
{
	w->count.cuts++;
	world_trace(w, "the network splits: machines %" PRIx64 " are apart", side);
	for (int a = 0; a < MACHINES; a++)
		for (int b = 0; b < MACHINES; b++)
			if ((side >> a & 1) != (side >> b & 1))
				world_cut(w, a, b, true);
	world_plan(w, some_time(w), end_cut, NULL, side);
}

static uint64_t machine_of(const struct controller *c)
{
	return UINT64_C(1) << (SERVERS + c->number);
}

static void cut_leader(struct world *w)
{
	split(w, machine_of(leader(w)));
}

static void cut_server(struct world *w)
{
	split(w, UINT64_C(1) << any_server(w)->number);
}

/* {primary, leader} or {primary, a replica, leader} on one side (redis.md, hole 1). */
static void cut_primary_with_leader(struct world *w)
{
	uint64_t side = UINT64_C(1) << primary(w)->number | machine_of(leader(w));

	if (world_random(w, 2))
		side |= UINT64_C(1) << world_random(w, SERVERS);
	split(w, side);
}

static void cut_any(struct world *w)
{
	split(w, 1 + world_random(w, (1 << MACHINES) - 2));
}

/* ---- servers ---- */

static void start(struct world *w, void *arg, uint64_t number)
{
	(void)number;
	server_start(w, arg);
}

static void kill_for(struct world *w, struct server *s, int64_t us)
{
	w->count.kills++;
	server_kill(w, s, world_random(w, 2));
	world_plan(w, us, start, s, 0);
}

static void kill_server(struct world *w)
{
	kill_for(w, any_server(w), some_time(w));
}

static void kill_all_servers(struct world *w)
{
	for (int i = 0; i < SERVERS; i++)
		kill_for(w, &w->servers[i], some_time(w) / 4);
}

static void go_on(struct world *w, void *arg, uint64_t number)
{
	(void)number;
	server_pause(w, arg, false);
}

static void pause_server(struct world *w)
{
	struct server *s = any_server(w);

	w->count.pauses++;
	server_pause(w, s, true);
	world_plan(w, some_time(w), go_on, s, 0);
}

static void free_memory(struct world *w, void *arg, uint64_t number)
{
	struct server *s = arg;

	(void)w;
	(void)number;
	s->full_memory = false;
}

static void fill_memory(struct world *w)
{
	struct server *s = any_server(w);

	world_trace(w, "redis%d is out of memory", s->number);
	s->full_memory = true;
	if (s->conf == CONF_EVICTS) {
		data_clear(&s->data);
		w->severe = true;
	}
	world_plan(w, some_time(w), free_memory, s, 0);
}

/* It loses what it had acknowledged itself: only the other copies and the mark of a controller know. */
static void damage_server(struct world *w)
{
	struct server *s = any_server(w);
	bool soon = world_random(w, 4) == 0; /* before the sentinels replace it: hole 4 */

	kill_for(w, s, soon ? 300 * MS : some_time(w) + 2 * SECOND);
	switch (world_random(w, 4)) {
	case 0:
		w->count.damaged += server_empty(w, s);
		break;
	case 1:
		w->count.damaged += server_flip(w, s);
		break;
	case 2: /* an older copy, which starts */
		w->count.damaged += s->count && server_truncate(w, s, world_random(w, s->count));
		break;
	case 3: /* a cut within a batch: it starts only with aof-load-truncated (hole 3) */
		w->count.damaged +=
			s->count &&
			server_truncate(w, s, s->count - 1 - world_random(w, s->count) / 4);
		s->stays_down = s->conf != CONF_TRUNCATED;
		break;
	}
}

static void misconfigure(struct world *w)
{
	struct server *s = any_server(w);

	server_kill(w, s, false);
	s->conf = world_random(w, CONF_COUNT);
	w->severe = w->severe || s->conf == CONF_DEFAULT_USER;
	world_trace(w, "redis%d gets wrong settings (%d)", s->number, s->conf);
	world_plan(w, some_time(w) / 4, start, s, 0);
}

/* The frequency of a fault is the number of its indices. */
static void (*const faults[])(struct world *w) = {
	[0 ... 2] = kill_leader,
	[3] = kill_controller,
	[4 ... 6] = pause_leader,
	[7] = hand_over,
	[8] = cut_leader,
	[9] = cut_server,
	[10 ... 11] = cut_primary_with_leader,
	[12] = cut_any,
	[13 ... 16] = kill_server,
	[17] = kill_all_servers,
	[18 ... 19] = pause_server,
	[20] = fill_memory,
	[21] = damage_server,
	[22] = misconfigure,
};

static void inject(struct world *w, void *arg, uint64_t number)
{
	if (!w->faults)
		return;
	if (w->now_us >= w->calm_us) {
		faults[world_random(w, ARRAY_SIZE(faults))](w);
		if (world_random(w, 3) == 0)
			faults[world_random(w, ARRAY_SIZE(faults))](w);
	}
	world_plan(w, 500 * MS + (int64_t)world_random(w, 5 * SECOND), inject, arg, number);
}

/* ---- the loss of records on all copies ---- */

enum { LOSE_ONE_IN = 3, CALM_US = 15 * SECOND };

static void lose_records(struct world *w, void *arg, uint64_t number);

/* A standby that can be asked knows a record that this controller does not know. */
static bool is_behind(const struct world *w, const struct controller *c)
{
	for (int i = 0; i < CONTROLLERS; i++)
		if (controller_answers(&w->controllers[i]) && !w->controllers[i].holds &&
		    w->truth->known[i] > w->truth->known[c->number])
			return true;
	return false;
}

/* All servers come back with what they had when a controller went away. No other fault hides the loss. */
static void age_servers(struct world *w, void *arg, uint64_t count)
{
	if (!w->faults)
		return;
	if (!is_behind(w, arg)) {
		lose_records(w, NULL, world_random(w, CONTROLLERS));
		return;
	}
	for (int i = 0; i < SERVERS; i++) {
		struct server *s = &w->servers[i];

		kill_for(w, s, 200 * MS + (int64_t)world_random(w, SECOND));
		w->count.damaged += server_truncate(w, s, count);
	}
	if (world_random(w, 2))
		kill_leader(w);
	w->calm_us = w->now_us + CALM_US;
}

/*
 * A controller that is away while records are lost never knew them. It comes back at about the same time as
 * the servers, and the others know.
 */
static void lose_records(struct world *w, void *arg, uint64_t number)
{
	struct controller *c = &w->controllers[number];
	int64_t away_us = SECOND + (int64_t)world_random(w, 3 * SECOND);

	if (!w->faults)
		return;
	if (!c->alive || c->ends || c->acts || !leader(w)->acts) {
		world_plan(w, SECOND, lose_records, arg, world_random(w, CONTROLLERS));
		return;
	}
	controller_pause(w, c, false);
	controller_end(c, away_us + (int64_t)world_random(w, SECOND), "its machine is away");
	world_plan(w, away_us, age_servers, c, primary(w)->count);
}

void faults_init(struct world *w)
{
	int64_t end_us = (int64_t)w->opt->seconds * SECOND;

	world_plan(w, 6 * SECOND, inject, NULL, 0);
	if (world_random(w, LOSE_ONE_IN) == 0)
		world_plan(w, end_us / 2 + (int64_t)world_random(w, (uint64_t)end_us / 4),
			   lose_records, NULL, world_random(w, CONTROLLERS));
}
