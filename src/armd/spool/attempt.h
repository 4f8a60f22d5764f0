/*
 * The file of one task attempt in the spool.
 *
 * It has four parts that are written at different times by different processes:
 *
 *	0	end: how it ended, written and synced by the shepherd, or by the launcher when no
 *		shepherd can. The file is created with room for it, so that the end can be written on
 *		a full disk and needs a sync of data only.
 *	4096	start: the progress of the shepherd. Not synced: after a crash of the machine the task is
 *		lost anyway, and any other crash leaves it in the page cache.
 *	4160	place: which cpus and gpus it has, written by the launcher before it forks the shepherd.
 *		Not synced either: it counts for as long as the shepherd lives.
 *	4608	order: what was ordered, written and synced before the file gets its name, never
 *		changed afterwards.
 *
 * End and order carry a checksum. An end with a wrong checksum was not written completely. An order
 * with a wrong checksum is damage, because the file got its name after the order was synced.
 *
 * The lock: the launcher takes the file's lock (flock) before it forks a shepherd, and the shepherd
 * inherits it. While the lock is held, a shepherd runs the attempt, or is about to. A lock cannot
 * be confused with that of another process, as a reused process id could.
 */
#pragma once

#include "agent/place.h"
#include "armd/spool/attempt_name.h"

struct attempt {
	struct task_key key;
	uint64_t seq;
	bool same_boot;      /* accepted since the last boot */
	int64_t accepted_us; /* CLOCK_BOOTTIME */
	bool has_order;      /* false: refused, never accepted */
	/* the order is unreadable: seq is UINT64_MAX, the other members are unknown */
	bool damaged;
	uint8_t order[ORDER_SIZE];
	const uint8_t *body;
	size_t body_len;
	bool forked;                /* a task may have run */
	bool ready;                 /* it waited to be released */
	int64_t start_us;           /* 0: its program has not been seen to start */
	struct place place;         /* empty if none was recorded */
	const Armada__TaskEnd *end; /* NULL: none yet */
	bool end_damaged;           /* something was written there, but it is no end */
};

/*
 * The progress that the shepherd records: before it forks, when a gated task waits, and when the
 * program runs.
 */
struct attempt_start {
	bool forked, ready;
	int64_t start_us; /* wall clock; 0: its program has not been seen to start */
};

/*
 * Create the file. order NULL: a refusal, whose end follows. The content is durable on return, the
 * name after spool_sync.
 */
int attempt_create(struct spool *s, const struct task_key *key, uint64_t seq,
		   const uint8_t order[ORDER_SIZE], const uint8_t *body, size_t body_len,
		   struct err *err);
int attempt_open(const struct spool *s, const struct task_key *key, int *ret_fd, struct err *err);
/* The content lives in arena. A damaged order sets ret_attempt->damaged; it is not an error. */
int attempt_read(const struct spool *s, int fd, struct arena *arena, struct attempt *ret_attempt,
		 struct err *err);
void attempt_read_start(int fd, struct attempt_start *ret_start);
int attempt_note_start(int fd, const struct attempt_start *start);
int attempt_note_place(int fd, const struct place *place);
/* Durable on return; a text that is too long is cut. */
int attempt_write_end(int fd, const Armada__TaskEnd *end, struct err *err);
/* Read the end only; NULL: no complete end. */
const Armada__TaskEnd *attempt_read_end(int fd, struct arena *arena);
/* Remove the file and all other files of the attempt. */
int attempt_remove(struct spool *s, const struct task_key *key, struct err *err);

/* Every key in the spool, in a new array. Incomplete files and reserve files are removed. */
int attempt_list(struct spool *s, struct task_key **ret_keys, size_t *ret_count, struct err *err);
