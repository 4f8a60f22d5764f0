/*
 * Which jobs a user means: ids, ranges, elements of arrays, states, and lists of names.
 *
 * Ids are "12", "12-15", "12_3", "12_[1-5,7]", separated by commas. The filter borrows nothing:
 * everything is copied to its arena.
 */
#ifndef CLIENT_FILTER_H
#define CLIENT_FILTER_H

#include "proto/msg.h"
#include "util/arena.h"
#include "util/err.h"

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

int filter_add_ids(struct filter *f, const char *text, struct err *err);
/* Names or codes separated by commas; "all". */
int filter_add_states(struct filter *f, const char *text, struct err *err);

/* Comma-separated words, added to one of the lists of the message. */
int filter_add_users(struct filter *f, const char *text, struct err *err);
int filter_add_queues(struct filter *f, const char *text, struct err *err);
int filter_add_job_sets(struct filter *f, const char *text, struct err *err);
int filter_add_names(struct filter *f, const char *text, struct err *err);
int filter_add_classes(struct filter *f, const char *text, struct err *err);
/* A node list. */
int filter_add_nodes(struct filter *f, const char *text, struct err *err);
/* The user who runs this process. */
int filter_add_me(struct filter *f, struct err *err);

/* One job or element, "812" or "812_7", from text. */
int job_id_parse(const char *text, uint64_t *ret_job, bool *ret_has_element, uint32_t *ret_element,
		 struct err *err);

#endif
