/*
 * The file of one task attempt in the spool.
 *
 * It has four parts that are written at different times by different processes:
 *
 *	0	end: how it ended, written and synced once, by the shepherd, or by the launcher when no
 *		shepherd can. The room for it is there from the beginning, so that the end can be
 *		written on a full disk and costs a sync of data alone.
 *	4096	start: how far the shepherd got. Not synced: after a crash of the machine the task is
 *		lost anyway, and any other crash leaves it in the page cache.
 *	4160	place: which cpus and gpus it has, written by the launcher before it forks the shepherd.
 *		Not synced either: it counts for as long as the shepherd lives.
 *	4608	order: what was ordered, written and synced before the file gets its name, never
 *		changed afterwards.
 *
 * End and order carry a checksum. An end that does not hold together was not yet written; an order
 * that does not is damage, for the name came after it.
 *
 * The lock: whoever starts a shepherd takes the file's lock (flock) and the shepherd inherits it. As
 * long as the lock is held somebody runs the attempt, or is about to. It cannot be mistaken for
 * another's, as a process id could.
 */
#pragma once

#include "agent/place.h"
#include "armd/spool/attempt_name.h"

struct attempt {
	struct task_key key;
	uint64_t seq;
	bool same_boot;      /* accepted under the boot id of now */
	int64_t accepted_us; /* CLOCK_BOOTTIME */
	bool has_order;      /* false: refused before it was ever accepted */
	bool damaged; /* the order cannot be read: seq is UINT64_MAX, nothing else is known */
	uint8_t order[ORDER_SIZE];
	const uint8_t *body;
	size_t body_len;
	bool forked;                /* a task may have run */
	bool ready;                 /* it waited to be released */
	int64_t start_us;           /* 0: its program was not seen to start */
	struct place place;         /* nothing, when none was noted */
	const Armada__TaskEnd *end; /* NULL: none yet */
};

/* What the shepherd notes down before it forks, when the task waits, and once the program runs. */
struct attempt_start {
	bool forked, ready;
	int64_t start_us; /* wall clock; 0: its program was not seen to start */
};

/*
 * A new file; order NULL: none was accepted, the end follows. The content is durable when this
 * returns, the name after spool_sync.
 */
int attempt_create(struct spool *s, const struct task_key *key, uint64_t seq,
		   const uint8_t order[ORDER_SIZE], const uint8_t *body, size_t body_len,
		   struct err *err);
int attempt_open(const struct spool *s, const struct task_key *key, int *ret_fd, struct err *err);
/* What it holds lives in arena. An order that is damaged is said so in ret_attempt, not refused. */
int attempt_read(const struct spool *s, int fd, struct arena *arena, struct attempt *ret_attempt,
		 struct err *err);
void attempt_read_start(int fd, struct attempt_start *ret_start);
int attempt_note_start(int fd, const struct attempt_start *start);
int attempt_note_place(int fd, const struct place *place);
/* Durable when it returns; a text that is too long is cut. */
int attempt_write_end(int fd, const Armada__TaskEnd *end, struct err *err);
/* Only the end; NULL when it is not there (yet). */
const Armada__TaskEnd *attempt_read_end(int fd, struct arena *arena);
/* Remove it and whatever else carries its name. */
int attempt_remove(struct spool *s, const struct task_key *key, struct err *err);

/*
 * Every key in the spool, in a new array; half-made files and what belongs to no attempt is
 * removed on the way.
 */
int attempt_list(struct spool *s, struct task_key **ret_keys, size_t *ret_count, struct err *err);
