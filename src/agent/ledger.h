/*
 * What this node knows of every attempt it was ever told about: the launcher's half of the agent,
 * as a deterministic state machine.
 *
 * The ledger decides whether an order may be carried out, never runs one twice, and never denies an
 * attempt that it has not durably refused. It does no I/O, reads no clock and verifies no
 * signature (its shell did, before it calls ledger_order): it answers each input with effects that
 * the shell carries out in order. A WRITE effect is durable before the effects after it begin; in
 * the simulator a crash between two effects is an ordinary event.
 *
 *	(none) --launch--> ACCEPTED --started--> STARTED --ended--> ENDED --acked, below floor--> gone
 *	(none) --launch, gated--> ACCEPTED --ready--> READY --released and started--> STARTED
 *	(none) --launch, not allowed--> ENDED(refused)
 *	(none) --kill--> ENDED(refused): a launch order that comes later finds it and does not run
 *
 * A release is for who is READY, a step for who is STARTED; elsewhere they are dropped or answered with
 * what is known. Neither is remembered: a release that was lost on the way is given again for as long as
 * READY is reported, and a step that was lost is nobody's any more.
 *
 * An entry of another boot that had not ended is ENDED(lost) at load: the machine restarted under
 * it. ENDED entries are kept until the controller has acknowledged them and announced a floor
 * above their order's sequence: by then no copy of the order can still be on its way.
 */
#pragma once

#include "proto/msg.h"
#include "proto/order.h"

struct ledger;

enum ledger_state {
	LEDGER_ACCEPTED = 1,
	LEDGER_READY = 2, /* gated, set up, waits to be released */
	LEDGER_STARTED = 3,
	LEDGER_ENDED = 4,
	LEDGER_ACKED = 5, /* ended and acknowledged, kept for the floor */
};

/* Who and what this node is; the shell keeps it in the spool's meta file. */
struct ledger_meta {
	uint8_t node_id[16];
	uint8_t spool_id[16];
	uint8_t cluster_id[16]; /* zero until the first contact */
	uint64_t epoch;         /* highest seen */
	uint64_t floor;
	char boot_id[64];
};

enum ledger_effect_kind {
	LEDGER_WRITE_META = 1,   /* durably, before what follows */
	LEDGER_WRITE_ACCEPT = 2, /* durably: key, seq, order, body */
	LEDGER_WRITE_END = 3,    /* durably: an end that no shepherd wrote */
	LEDGER_START = 4,        /* fork a shepherd for key */
	LEDGER_KILL = 5,         /* tell the shepherd of key: cause, grace_ms */
	LEDGER_FORGET = 6,       /* remove key from the spool */
	LEDGER_REPORT = 7,       /* to the network process, for the controller */
	LEDGER_RELEASE = 8,      /* tell the shepherd of key */
	LEDGER_STEP = 9,         /* the same: the order's body goes with it */
	LEDGER_SIGNAL = 10,      /* tell the shepherd of key: cause, as in the order */
	LEDGER_LEASE = 14,       /* the controller has heard of the node: stamp, extension_ms */
	LEDGER_REBOOT = 15,      /* nothing runs here: reboot the machine */
};

struct ledger_effect {
	enum ledger_effect_kind kind;
	struct task_key key;
	uint64_t seq;
	uint32_t cause;         /* KILL, SIGNAL */
	int64_t grace_ms;       /* KILL */
	uint8_t stamp[16];      /* LEASE: not verified */
	int64_t extension_ms;   /* LEASE */
	Armada__Report *report; /* REPORT, WRITE_END (its end); in the arena of the call */
};

struct ledger_effects {
	/* The caller's. It holds list too: after arena_clear, zero list, count and cap. */
	struct arena *arena;
	struct ledger_effect *list;
	size_t count, cap;
};

/* Where an order's refusal by the shell's own checks (unknown uid ...) comes from. */
struct ledger_check {
	bool allowed;
	const char *why; /* when not */
	uint32_t cause;  /* of the end then; 0: END_REFUSED */
};

struct ledger *ledger_new(const struct ledger_meta *meta);
void ledger_free(struct ledger *l);
const struct ledger_meta *ledger_meta(const struct ledger *l);

/*
 * One attempt found in the spool at start, before any other input. end is NULL unless its exit
 * record is there. same_boot: it was accepted under the boot id of now. One of this boot without an
 * end is believed to be running: when the shell finds no shepherd for it, ledger_ended follows.
 */
void ledger_load(struct ledger *l, const struct task_key *key, uint64_t seq,
		 enum ledger_state state, int64_t start_us, const Armada__TaskEnd *end,
		 bool same_boot, struct ledger_effects *out);

/*
 * An order whose signature holds. Dropped and counted: other cluster, other node, lower epoch,
 * below the floor, unless it ends what runs here.
 */
void ledger_order(struct ledger *l, const struct order *o, const struct ledger_check *check,
		  struct ledger_effects *out);
void ledger_ready(struct ledger *l, const struct task_key *key, struct ledger_effects *out);
void ledger_started(struct ledger *l, const struct task_key *key, int64_t start_us,
		    struct ledger_effects *out);
/* Its exit record is durable, or write_end: the shepherd died without one. */
void ledger_ended(struct ledger *l, const struct task_key *key, const Armada__TaskEnd *end,
		  bool write_end, struct ledger_effects *out);
void ledger_acked(struct ledger *l, const struct task_key *key, struct ledger_effects *out);
/*
 * The controller of this epoch says this floor. A first contact fixes the cluster id; another
 * cluster id or a lower epoch afterwards is refused: -EPERM.
 */
int ledger_controller(struct ledger *l, const uint8_t cluster_id[16], uint64_t epoch,
		      uint64_t floor, struct ledger_effects *out, struct err *err);
/* A report for every entry that is not ACKED, for RegisterNode. */
void ledger_inventory(const struct ledger *l, struct ledger_effects *out);
/* The state of a key: 0 when unknown. */
enum ledger_state ledger_find(const struct ledger *l, const struct task_key *key);
/* Entries that have ended, and the controller has not acknowledged it. */
size_t ledger_unacknowledged(const struct ledger *l);
uint64_t ledger_stale_orders(const struct ledger *l); /* orders dropped */
size_t ledger_count(const struct ledger *l);          /* entries of any state */
