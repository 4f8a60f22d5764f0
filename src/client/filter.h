/*
 * Selects jobs by ids, ranges, elements of arrays, states, and lists of names.
 *
 * Ids are "12", "12-15", "12_3", "12_[1-5,7]", separated by commas. The filter copies everything to
 * its arena.
 */
#pragma once

#include "proto/msg.h"

#include <stdbool.h>

struct filter {
	struct arena *arena;
	Armada__JobFilter message;
	size_t id_cap, state_cap;
	bool ended; /* some state of ended jobs is selected, or all states */
	bool only_ended;
	bool all_states;
};

void filter_init(struct filter *f);
void filter_done(struct filter *f);
/* Whether it would select all jobs. */
bool filter_is_empty(const struct filter *f);

/* The properties that select jobs. */
enum filter_by {
	FILTER_IDS,
	FILTER_STATES, /* names or codes separated by commas; "all" */
	FILTER_NODES,  /* a node list */
	FILTER_ME,     /* the user who runs this process; takes no text */
	/* words separated by commas */
	FILTER_USERS,
	FILTER_QUEUES,
	FILTER_JOB_SETS,
	FILTER_NAMES,
	FILTER_CLASSES,
	FILTER_ACCOUNTS,
	FILTER_LABELS, /* key=value, key, or !key, separated by commas; all must match */
};

/* Adds a condition, or further values of one. */
int filter_add(struct filter *f, enum filter_by by, const char *text, struct err *err);

/* An option whose value is added to the filter in field f of struct S. */
#define FILTER_OPTION(S, f, by) OPT_READ(S, f, filter_read, (const void *)(uintptr_t)(by))
int filter_read(void *filter, const void *by, const char *text, struct err *err);

/* A step of a job or element: "812.0" or "812_7.0". */
struct step_id {
	uint64_t job;
	bool has_element;
	uint32_t element, step;
};

/* Whether the text is meant as the id of a step: it has a point. */
bool step_id_is(const char *text);
int step_id_parse(const char *text, struct step_id *ret_id, struct err *err);
/* Parses one job or element: "812" or "812_7". */
int job_id_parse(const char *text, uint64_t *ret_job, bool *ret_has_element, uint32_t *ret_element,
		 struct err *err);
