/*
 * A storm of several controllers that share one log: state/redis as it is built, under simulated servers,
 * sentinels, network and clocks, with faults drawn from a seed.
 *
 * All events are in one queue ordered by virtual time. The plugin's operations wait, so each thread of a
 * controller has a stack of its own, and runs until it waits (task.h). So the same seed gives the same run.
 *
 * This header has what all parts share. Each part is declared by the header of its noun.
 */
#pragma once

#include "util/arena.h"
#include "util/mem.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SERVERS = 3,
	CONTROLLERS = 3,
	MACHINES = SERVERS +
		   CONTROLLERS, /* a server has the number of its machine, with its sentinel */
	KEYS_MAX = 4000,        /* submissions of a run */
	TRACE_LINES = 60,
	LINE_BYTES = 200,
};

#define MS     INT64_C(1000)
#define SECOND (1000 * MS)

struct world;
struct server;
struct controller;
struct sentinels;
struct truth;
struct users;
struct task;

struct replicated_options {
	uint64_t seed;
	uint64_t seconds;    /* virtual time with faults */
	const char *plugins; /* directory of the state plugin */
	bool verbose;
};

typedef void world_event_fn(struct world *w, void *arg, uint64_t number);

struct world_event {
	int64_t at_us;
	uint64_t order;
	world_event_fn *fn;
	void *arg;
	uint64_t number;
};

struct world_count {
	uint64_t kills, pauses, cuts, damaged, failovers, leads, stops, acked, answers, handed_over,
		shrunk, told;
};

struct world {
	const struct replicated_options *opt;
	uint64_t rng, order;
	int64_t now_us;
	struct arena *run;
	struct world_event *events;
	size_t event_count, event_cap;
	bool faults;
	int64_t calm_us; /* no fault begins before this time */
	bool made;       /* the state is in the store */
	bool severe;     /* data of a server was damaged: controllers may stop for that */
	bool forked; /* data was lost, and a controller that did not know it went on: the run ends */
	bool cut[MACHINES][MACHINES];
	int64_t cut_us[MACHINES][MACHINES]; /* when that changed last; 0: never */
	struct server *servers;             /* SERVERS of them */
	struct controller *controllers;     /* CONTROLLERS of them */
	struct sentinels *sentinels;
	struct truth *truth;
	struct users *users;
	struct conns *conns;
	struct world_count count;
	char violation[512];
	char lines[TRACE_LINES][LINE_BYTES];
	uint64_t line_count, hash;
};

uint64_t world_random(struct world *w, uint64_t below);
void world_plan(struct world *w, int64_t in_us, world_event_fn *fn, void *arg, uint64_t number);
/* Handles the next event; false: there is none. */
bool world_step(struct world *w);
void world_trace(struct world *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The first violation counts. */
void world_violate(struct world *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Cuts the link between two machines, or connects them. */
void world_cut(struct world *w, int a, int b, bool on);
/* A message needs so long from machine to machine. */
int64_t world_latency_us(struct world *w);
