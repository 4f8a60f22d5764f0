/*
 * Which jobs a user means: ids, ranges, elements of arrays, states, and lists of names.
 *
 * Ids are "12", "12-15", "12_3", "12_[1-5,7]", separated by commas. The filter borrows nothing:
 * everything is copied to its arena.
 */
#pragma once

#include "proto/msg.h"

#include <stdbool.h>

struct filter {
	struct arena *arena;
	Armada__JobFilter message;
	size_t id_cap, state_cap;
	bool ended; /* states that only finished jobs have were asked for, or all */
	bool only_ended;
	bool all_states;
};

void filter_init(struct filter *f);
void filter_done(struct filter *f);
/* Would it select everything? */
bool filter_is_empty(const struct filter *f);

/* By what jobs are chosen. */
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
};

/* Add to what is chosen. */
int filter_add(struct filter *f, enum filter_by by, const char *text, struct err *err);

/* A row of options whose value is added to the filter that is the field f of struct S. */
#define FILTER_OPTION(S, f, by) OPT_READ(S, f, filter_read, (const void *)(uintptr_t)(by))
int filter_read(void *filter, const void *by, const char *text, struct err *err);

/* One job or element, "812" or "812_7", from text. */
int job_id_parse(const char *text, uint64_t *ret_job, bool *ret_has_element, uint32_t *ret_element,
		 struct err *err);
