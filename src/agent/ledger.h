/*
 * The ledger: the state of every attempt that this node received an order for. It is the launcher's
 * half of the agent, a deterministic state machine.
 *
 * The ledger decides whether an order may be executed. It never runs an attempt twice, and reports
 * a refusal only after the refusal is durable. It does no I/O, reads no clock and verifies no
 * signature (its shell does so before it calls ledger_order). It returns effects for each input,
 * and the shell applies them in order. A WRITE effect is durable before the effects after it begin;
 * the simulator crashes the launcher between any two effects.
 *
 *	(none) --launch--> ACCEPTED --started--> STARTED --ended--> ENDED --acked, below floor--> (none)
 *	(none) --launch, gated--> ACCEPTED --ready--> READY --released and started--> STARTED
 *	(none) --launch, not allowed--> ENDED(refused)
 *	(none) --kill--> ENDED(refused): a launch order that comes later finds it and does not run
 *
 * A release applies to READY, a step to STARTED; in other states they are dropped or answered with
 * a report. Neither is stored: the controller repeats a release while READY is reported, and a lost
 * step is not repeated. Settings apply to READY and STARTED; the controller repeats them until a report
 * has their number.
 *
 * An entry of an earlier boot without an end is ENDED(lost) when it is loaded, because the machine
 * restarted while it ran. ENDED entries are kept until the controller has acknowledged them and
 * announced a floor above the sequence of their order: from then on late copies of the order are
 * rejected by the floor.
 *
 * An order to read output needs no entry: the task may have ended, and been forgotten here.
 *
 * Epoch and floor come only from signed orders, and only rise: each order has its epoch, a lease
 * order has the floor.
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

/* The identity of this node; the shell keeps it in the spool's meta file. */
struct ledger_meta {
	uint8_t node_id[16];
	uint8_t spool_id[16];
	uint8_t cluster_id[16]; /* zero until the first contact */
	uint64_t epoch;         /* highest seen */
	uint64_t floor;
	char boot_id[64];
};

enum ledger_effect_kind {
	LEDGER_WRITE_META = 1,   /* durably, before the following effects */
	LEDGER_WRITE_ACCEPT = 2, /* durably: key, seq, order, body */
	LEDGER_WRITE_END = 3,    /* durably: an end that the launcher decided */
	LEDGER_START = 4,        /* fork a shepherd for key */
	LEDGER_KILL = 5,         /* order the shepherd of key to end the task: cause, grace_ms */
	LEDGER_FORGET = 6,       /* remove key from the spool */
	LEDGER_REPORT = 7,       /* to the network process, for the controller */
	LEDGER_RELEASE = 8,      /* tell the shepherd of key */
	LEDGER_STEP = 9,         /* start a step in the task; the order's body goes with it */
	LEDGER_SIGNAL = 10,   /* send a signal to the task: cause and grace_ms, as in the order */
	LEDGER_SETTINGS = 11, /* tell the shepherd of key; the order's body goes with it */
	LEDGER_LEASE = 14,    /* lease order: stamp, extension_ms */
	LEDGER_REBOOT = 15,   /* reboot the machine; nothing runs here */
	LEDGER_OUTPUT = 16,   /* read an output file: number; the order's body goes with it */
};

struct ledger_effect {
	enum ledger_effect_kind kind;
	struct task_key key;
	uint64_t seq;
	uint32_t cause;         /* KILL, SIGNAL */
	int64_t grace_ms;       /* KILL, SIGNAL */
	uint64_t number;        /* SETTINGS, OUTPUT, STEP: of the order */
	uint8_t stamp[16];      /* LEASE: not verified */
	int64_t extension_ms;   /* LEASE */
	Armada__Report *report; /* REPORT, WRITE_END (its end); in the arena of the call */
};

struct ledger_effects {
	/* The caller's. list is in it too: after arena_clear, zero list, count and cap. */
	struct arena *arena;
	struct ledger_effect *list;
	size_t count, cap;
};

/* The result of the shell's own checks of a launch order, such as min_uid. */
struct ledger_check {
	bool allowed;
	const char *why; /* if not allowed */
	uint32_t cause;  /* of the end if not allowed; 0: END_REFUSED */
};

struct ledger *ledger_new(const struct ledger_meta *meta);
void ledger_free(struct ledger *l);
const struct ledger_meta *ledger_meta(const struct ledger *l);

/*
 * Load one attempt of the spool at startup, before any other input. end is NULL unless its exit
 * record exists. same_boot: it was accepted since the last boot. An attempt of this boot without an
 * end is assumed to run; if the shell finds no shepherd for it, ledger_ended follows.
 */
void ledger_load(struct ledger *l, const struct task_key *key, uint64_t seq,
		 enum ledger_state state, int64_t start_us, const Armada__TaskEnd *end,
		 bool same_boot, struct ledger_effects *out);

/*
 * An order with a valid signature. Dropped and counted: an order for another cluster or node, with
 * a lower epoch, or below the floor, unless it kills an attempt that runs here.
 */
void ledger_order(struct ledger *l, const struct order *o, const struct ledger_check *check,
		  struct ledger_effects *out);
void ledger_ready(struct ledger *l, const struct task_key *key, struct ledger_effects *out);
void ledger_started(struct ledger *l, const struct task_key *key, int64_t start_us,
		    struct ledger_effects *out);
/*
 * The attempt has ended: its exit record is durable, or (write_end) the shepherd died without one.
 */
void ledger_ended(struct ledger *l, const struct task_key *key, const Armada__TaskEnd *end,
		  bool write_end, struct ledger_effects *out);
/* The shepherd has obeyed the settings with this number, or had obeyed later ones. */
void ledger_settings(struct ledger *l, const struct task_key *key, uint64_t number,
		     struct ledger_effects *out);
void ledger_acked(struct ledger *l, const struct task_key *key, struct ledger_effects *out);
/*
 * A controller that has proved its order key. The first contact fixes the cluster id; later another
 * cluster id is refused: -EPERM.
 */
int ledger_controller(struct ledger *l, const uint8_t cluster_id[16], struct ledger_effects *out,
		      struct err *err);
/* A report for every entry that is not ACKED, for RegisterNode. */
void ledger_inventory(const struct ledger *l, struct ledger_effects *out);
/* The state of a key: 0 when unknown. */
enum ledger_state ledger_find(const struct ledger *l, const struct task_key *key);
/* The number of ends that the controller has not acknowledged. */
size_t ledger_unacknowledged(const struct ledger *l);
uint64_t ledger_stale_orders(const struct ledger *l); /* orders dropped */
size_t ledger_count(const struct ledger *l);          /* entries of any state */
