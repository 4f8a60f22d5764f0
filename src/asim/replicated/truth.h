/*
 * The records that were acknowledged, and the controllers that know them. The storm checks these rules:
 *
 * - a record that append has acknowledged is on the disk of every server of the in-sync set, and stays the
 *   record of its number;
 * - a standby gets only acknowledged records;
 * - the state of a controller that acts has each acknowledged submission, once; the epochs of records rise;
 * - when a controller has acted, none with a lower epoch acts;
 * - a controller stops for lost data only if data is lost.
 *
 * After the loss of an acknowledged record on all copies, a controller that never knew it goes on only if
 * no other controller that knows it could be asked.
 */
#pragma once

#include "asim/replicated/data.h"

enum { SEQ_MAX = 2 * KEYS_MAX };

struct controller;
struct record;
struct fold;

struct truth {
	const struct entry *entries[SEQ_MAX]; /* NULL: not acknowledged */
	uint64_t keys[SEQ_MAX];
	uint64_t last;
	uint64_t known[CONTROLLERS]; /* the last record that a controller knows as acknowledged */
	/* what all knew when this controller got the lead */
	uint64_t known_then[CONTROLLERS][CONTROLLERS];
	bool answered[KEYS_MAX]; /* the user knows */
	struct blob set;         /* the last one that all its members had */
	uint64_t epoch;          /* the highest one that has acted */
	int64_t acked_us;        /* of the last acknowledgement */
};

void truth_init(struct world *w);
void truth_acknowledge(struct world *w, struct controller *c, uint64_t seq, const struct record *r);
void truth_give(struct world *w, struct controller *c, uint64_t seq, const struct record *r);
/* A standby has folded the records up to its last one. */
void truth_know(struct world *w, const struct controller *c);
/* Another controller has told it about this record. */
void truth_learn(struct world *w, const struct controller *c, uint64_t seq);
/* It has the lead, and does not act yet. */
void truth_hold(struct world *w, const struct controller *c);
/* It begins to act. */
void truth_begin(struct world *w, const struct controller *c);
/* It sends an answer or an order. */
void truth_act(struct world *w, const struct controller *c);
void truth_stop(struct world *w, const struct controller *c, const char *why);
/* The server has each acknowledged record, or a snapshot that replaces it, and no damaged one. */
struct server;
bool truth_is_on(const struct world *w, const struct server *s);
