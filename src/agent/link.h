/*
 * The node's side of its conversation with the controller: the network half of the agent, as a
 * deterministic state machine.
 *
 * A link dials the controllers of its list one after the other, asks the launcher for everything
 * the spool holds, registers, sends heartbeats, repeats reports until they are acknowledged, and
 * passes orders and acknowledgements to the launcher. It does no I/O and reads no clock: each input
 * carries the steady time and is answered with effects that the shell carries out in order.
 *
 *	IDLE --hello--> WAITING --due--> DIALLING --connected--> LISTING --inventory end-->
 *	REGISTERING --Registered--> OPEN;   closed, refused or silent: WAITING
 *
 * Nothing here is needed for safety: whatever is lost, doubled, delayed or out of order, the
 * launcher's ledger decides. What the link must see to is that everything is said again until it
 * is answered. An input that names a session which is over is ignored.
 */
#pragma once

#include "agent/ledger.h"

struct link;

enum link_effect_kind {
	LINK_DIAL = 1,       /* address (index), session: begin a connection of this number */
	LINK_SEND = 2,       /* session, type, message */
	LINK_CLOSE = 3,      /* session, text: why; the link has done with it */
	LINK_INVENTORY = 4,  /* number: ask the launcher for everything */
	LINK_ORDER = 5,      /* order, body: to the launcher */
	LINK_ACKED = 6,      /* keys: to the launcher */
	LINK_CONTROLLER = 7, /* cluster_id, epoch, floor, credential: to the launcher */
	LINK_LOG = 9,        /* level (util/log.h), text */
};

/* Pointers are into the effects' arena or borrowed from the input; good until the next input. */
struct link_effect {
	enum link_effect_kind kind;
	uint64_t session;
	size_t address;
	enum msg_type type;
	const void *message;
	uint64_t number;
	const uint8_t *order; /* ORDER_SIZE bytes */
	const uint8_t *body;
	size_t body_len;
	const struct task_key *keys;
	size_t key_count;
	const uint8_t *cluster_id; /* 16 bytes */
	uint64_t epoch, floor;
	const char *credential; /* "": none */
	int level;
	const char *text;
};

struct link_effects {
	/* The caller's. It holds list too: after arena_clear, zero list, count and cap. */
	struct arena *arena;
	struct link_effect *list;
	size_t count, cap;
};

/* Copied, but describe and addresses are borrowed for the link's life. */
struct link_config {
	const char *const *addresses; /* names for the log; dialled by index */
	size_t address_count;
	/*
	 * What the node says of itself: name, release, resources, labels, taints, boot_us. The
	 * link adds ids, epoch and reports; an empty address becomes that of the connection.
	 */
	const Armada__RegisterNode *describe;
	int64_t reconnect_min_us, reconnect_max_us; /* pause between rounds of dialling */
	int64_t answer_us; /* for a connection to be made, and for a registration to be answered */
	uint64_t seed;     /* of the jitter */
};

struct link *link_new(const struct link_config *config);
void link_free(struct link *l);

/* When link_tick is wanted next, in steady time; INT64_MAX: not by itself. */
int64_t link_due(const struct link *l);
/* Time has come: dial, heartbeat, or give up waiting. */
void link_tick(struct link *l, int64_t now_us, struct link_effects *out);
/*
 * Send the reports that are due. Called when the shell has given the inputs that it has, so that
 * reports which come together travel together.
 */
void link_flush(struct link *l, int64_t now_us, struct link_effects *out);

/* The connection that a LINK_DIAL asked for. local_address: ours, as the controller reaches it. */
void link_connected(struct link *l, uint64_t session, const char *local_address, int64_t now_us,
		    struct link_effects *out);
/* It failed or ended; why may be NULL. */
void link_closed(struct link *l, uint64_t session, const char *why, int64_t now_us,
		 struct link_effects *out);
/* A message of the controller, decoded and checked by its schema. */
void link_message(struct link *l, uint64_t session, enum msg_type type, const void *message,
		  int64_t now_us, struct link_effects *out);

/* From the launcher. The first hello sets the link going; each replaces the one before. */
void link_hello(struct link *l, const struct ledger_meta *meta, int64_t now_us,
		struct link_effects *out);
/* The launcher's clock, STAMP_SIZE bytes; the latest goes with what is sent to the controller. */
void link_stamp(struct link *l, const uint8_t *stamp);
void link_report(struct link *l, const Armada__Report *report);
void link_inventory_end(struct link *l, uint64_t number, int64_t now_us, struct link_effects *out);
/* The launcher will not have this controller. */
void link_controller_refused(struct link *l, const char *why, int64_t now_us,
			     struct link_effects *out);

/* The machine is being shut down: said at once, and from then on. */
void link_leaving(struct link *l, int64_t now_us, struct link_effects *out);
/* For the next heartbeat. */
/* Likewise, once it is known; empty: nothing is wrong with the node. It is told at once. */
void link_health(struct link *l, const char *text);
void link_sample(struct link *l, int64_t free_memory_bytes, double load);

bool link_open(const struct link *l);      /* registered */
size_t link_pending(const struct link *l); /* reports not acknowledged */
