/*
 * The controller as a deterministic state machine.
 *
 * One call takes one input and yields one output: the log record that the input causes (if it
 * changed anything) and the effects that must follow. The core does no I/O, reads no clock, uses no
 * randomness and starts no thread. Its shell makes the record durable before it carries out any of
 * the effects, in order. Effects of an output without a record wait for the records before them.
 *
 * All durable knowledge of the core is a fold over the records (core/state/fold.h): core_input
 * decides, and the fold applies. Volatile data (connections, waiting clients, reasons of waiting
 * jobs, steady times) is in the core but not in its snapshot or hash.
 */
#pragma once

#include "core/txn/effect.h"

struct core;
struct state;

/* Borrowed from the core until the next core_input. */
struct output {
	const uint8_t *record; /* packed Record, NULL: nothing changed */
	size_t record_len;
	uint64_t seq;                  /* of the record */
	const Armada__Record *decoded; /* the same, for the scheduler's model */
	const struct effect *effects;
	size_t effect_count;
	uint64_t needs;   /* the last record that the effects depend on; 0: all before */
	bool wants_round; /* something changed that a scheduling round might use */
	bool unfinished;  /* more work is due than fits one record: send a TICK soon */
};

struct core *core_new(const struct core_policy *policy);
void core_free(struct core *c);

/*
 * Before INPUT_BEGIN: the chunks of a snapshot, then records in order. A bad record is an error,
 * with its sequence in err. core_replay also yields the history rows that the record caused, in an
 * output like that of core_input (needed for records above the history's own sequence).
 */
int core_restore(struct core *c, const void *chunk, size_t len, struct err *err);
int core_replay(struct core *c, const void *record, size_t len, struct output *ret_output,
		struct err *err);

/*
 * Before the record of INPUT_BEGIN is durable: a message that only reads (msg_only_reads), or that is taken
 * then (msg_before_acting). The output has effects and no record. in->release is that of PING.
 */
void core_view(struct core *c, const struct input *in, struct output *ret_output);

void core_input(struct core *c, const struct input *in, struct output *ret_output);

uint64_t core_seq(const struct core *c);   /* of the last record */
uint64_t core_epoch(const struct core *c); /* 0 before INPUT_BEGIN */
const uint8_t *core_cluster_id(const struct core *c);
/* A new cluster: before INPUT_BEGIN, on a core without records. */
void core_set_cluster(struct core *c, const uint8_t cluster_id[16]);

/*
 * The durable state as chunks for armada_state_ops.snapshot; on_chunk is called for each. The same
 * state gives the same bytes.
 */
void core_snapshot(const struct core *c, void (*on_chunk)(void *arg, const void *data, size_t len),
		   void *arg);
/* The same, but a script or an environment is not copied: its bytes, tail, follow data in the chunk. */
void core_snapshot_shared(const struct core *c,
			  void (*on_chunk)(void *arg, const void *data, size_t len,
					   struct shared *tail),
			  void *arg);
/* The arena holds a reference to each tail of such a snapshot. O(scripts and environments). */
void core_hold_blobs(const struct core *c, struct arena *arena);
/* BLAKE2b-256 of the snapshot: equal states have equal hashes. */
void core_hash(const struct core *c, uint8_t ret_hash[32]);
/*
 * The same chunks as messages, each valid during its call: for code that begins to follow the
 * records.
 */
void core_each_record(const struct core *c,
		      void (*on_record)(void *arg, const Armada__Record *record), void *arg);

/*
 * Before INPUT_BEGIN: true if the state was made when other default classes were shipped, and no
 * configuration has listed classes since. Without priority_classes the old ones apply
 * (conf_keep_old_classes).
 */
bool core_keeps_old_classes(const struct core *c);

/*
 * Before INPUT_BEGIN: -EINVAL if jobs ask for a resource that the table does not have any more, with its
 * name and their ids.
 */
int core_has_resources(const struct core *c, struct err *err);

/* The durable state, for tests and the simulator. */
const struct state *core_state(const struct core *c);

/* True if no job is in memory. */
bool core_idle(const struct core *c);
/* Check the rules that must hold between inputs: 0, or -EINVAL with the broken rule in err. */
int core_check(struct core *c, struct err *err);
