/*
 * What the controller counts since its start, for actl show counters and for metrics. Of the loop.
 *
 * A counter is a member here, the place that counts it, a row of proto/counter_table.h, and a line of
 * counters_query.c. All of them are in memory: a controller that starts again begins with 0, as metrics
 * expect.
 */
#pragma once

#include "core/view/round_end.h"
#include "proto/client.pb-c.h"
#include "util/histogram.h"

struct effect;
struct sched_result;

/* The numbers of event kinds and the exit codes of refused requests; greater ones are counted under 0. */
enum { COUNTERS_EVENTS = 64, COUNTERS_CODES = 256 };

struct counters {
	uint64_t events[COUNTERS_EVENTS]; /* by enum JobEventKind */
	uint64_t refused[COUNTERS_CODES]; /* replies with an error, by exit code */
	uint64_t rounds[ROUND_ENDS];
	uint64_t decisions; /* of rounds */
	struct histogram round_times;
};

/* EFFECT_JOB_EVENTS. */
void counters_events(struct counters *c, const struct effect *e);
/* A reply with an error was sent. */
void counters_refused(struct counters *c, int exit_code);
/* The first part of the result of a round. */
void counters_round(struct counters *c, const struct sched_result *result, int64_t took_us);
