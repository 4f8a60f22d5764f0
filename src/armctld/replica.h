/*
 * A controller among several that share one state (armada/replica.h).
 *
 * Two threads serve it. The one follows the log: records go to the loop, which folds them. It tries to
 * take the lead; with the lead it reads the log to its end and lets the loop begin. The other announces
 * this controller, renews the lease, and looks at the other controllers and at the copies of the store.
 *
 *	STANDBY --lead, all records folded--> LEADING --lease lost, resigned--> the process begins again
 *
 * Nothing leads a second time in one process: `failed` ends it, or starts the program again.
 */
#pragma once

#include "armctld/replica_view.h"
#include "util/err.h"
#include <armada/state.h>

struct copy_change;
struct peer_mark;
struct event_base;
struct replica;

struct replica_ops {
	/* On the loop: fold a record. */
	int (*record)(void *arg, uint64_t seq, const void *data, size_t len, struct err *err);
	/* On the loop: the epoch of the state that is folded. */
	uint64_t (*epoch)(void *arg);
	/* On the loop: the lead is ours, and all records are folded. */
	void (*lead)(void *arg, uint64_t epoch);
	/* By any thread; never returns. again: the program may begin again as a standby. */
	void (*failed)(void *arg, bool again, const char *sentence) __attribute__((noreturn));
	/*
	 * By a thread: the facts of another controller (replica_facts.h); a sentence about a difference, or
	 * "", and what it says of its history.
	 */
	void (*compare)(void *arg, const struct armada_replica_controller *other, struct err *ret,
			char ret_history[REPLICA_HISTORY + 1]);
	/*
	 * By a thread: what the other controllers know as acknowledged (peer_marks.h); list has PEER_MARKS
	 * rows. Returns how many.
	 */
	size_t (*ask_marks)(void *arg, struct peer_mark *list);
	/* On the loop: a change of replica_change_copy is made, or refused. */
	void (*copy_changed)(void *arg, const struct copy_change *x);
};

/* Strings and data are borrowed. */
struct replica_config {
	const struct armada_state_ops *state;
	void *handle;
	const char *name, *address;
	const void *facts;
	size_t facts_len;
	uint64_t seq, epoch; /* of what is folded */
	const struct replica_ops *ops;
	void *arg;
};

struct replica *replica_new(struct event_base *base, const struct replica_config *config);
/*
 * Ends the threads. With the lead it is given up: heir is the only controller that may take it at once;
 * NULL: any. Nothing may be appended any more.
 */
void replica_free(struct replica *r, const char *heir);

/* True while what depends on the lead may leave this process. Any thread; a standby: false. */
bool replica_leads(const struct replica *r);
/* What the history of this controller lacks, which the others are told, in words; "": nothing. Any thread. */
void replica_note_history(struct replica *r, const char *text);
void replica_history(struct replica *r, char ret_text[REPLICA_HISTORY + 1]);
/* The last record that this controller knows as acknowledged; false: the engine has no marks. */
bool replica_mark(const struct replica *r, struct armada_replica_mark *ret_mark);
/* How old the state of a standby may be. */
int64_t replica_lag_us(struct replica *r);

/* The leader acts, as its first record is on all copies; how far its log is, for the announcements. */
void replica_appended(struct replica *r, uint64_t seq, uint64_t epoch);

/* Changes the set of copies with the lead; false: another change is not ready yet. */
bool replica_change_copy(struct replica *r, const struct copy_change *x);
