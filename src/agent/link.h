/*
 * The link: the connection of the node with the controller. It is the network half of the agent, a
 * deterministic state machine.
 *
 * A link dials the controllers of its list one after the other, requests the inventory of the spool
 * from the launcher, registers, sends heartbeats, repeats reports until they are acknowledged, and
 * passes orders and acknowledgements to the launcher. It does no I/O and reads no clock: each input
 * carries the steady time, and returns effects that the shell applies in order.
 *
 *	IDLE --hello--> WAITING --due--> DIALLING --connected--> LISTING --inventory end-->
 *	REGISTERING --Registered--> OPEN;   closed, refused or silent: WAITING
 *
 * Safety does not depend on the link: the launcher's ledger handles messages that are lost,
 * doubled, delayed or out of order. The link must repeat every message until it is answered. An
 * input that names an ended session is ignored.
 */
#pragma once

#include "agent/ledger.h"
#include "proto/step_state.h"

struct link;

enum link_effect_kind {
	LINK_DIAL = 1,       /* address (index), session: begin a connection of this number */
	LINK_SEND = 2,       /* session, type, message */
	LINK_CLOSE = 3,      /* session, text: why; the session has ended for the link */
	LINK_INVENTORY = 4,  /* number: request the inventory from the launcher */
	LINK_ORDER = 5,      /* order, body: to the launcher */
	LINK_ACKED = 6,      /* keys: to the launcher */
	LINK_CONTROLLER = 7, /* cluster_id, credential: to the launcher */
	LINK_LOG = 9,        /* level (util/log.h), text */
};

/*
 * Pointers are into the arena of the effects, or borrowed from the input; valid until the next
 * input.
 */
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
	const char *credential;    /* "": none */
	int level;
	const char *text;
};

struct link_effects {
	/* The caller's. list is in it too: after arena_clear, zero list, count and cap. */
	struct arena *arena;
	struct link_effect *list;
	size_t count, cap;
};

/* Copied, but describe and addresses are borrowed for the link's life. */
struct link_config {
	const char *const *addresses; /* names for the log; dialled by index */
	size_t address_count;
	/*
	 * The registration of the node: name, release, resources, labels, taints, boot_us. The link
	 * adds ids, epoch and reports; an empty address becomes that of the connection.
	 */
	const Armada__RegisterNode *describe;
	int64_t reconnect_min_us, reconnect_max_us; /* pause between rounds of dialling */
	int64_t answer_us; /* time limit for a connection, and for the answer to a registration */
	uint64_t seed;     /* of the jitter */
};

struct link *link_new(const struct link_config *config);
void link_free(struct link *l);

/* When to call link_tick, in steady time; INT64_MAX: never. */
int64_t link_due(const struct link *l);
/* Dial, send a heartbeat, or give up waiting, if that is due. */
void link_tick(struct link *l, int64_t now_us, struct link_effects *out);
/*
 * Send the reports that are due. Called when the shell has passed all inputs that have arrived, so
 * that reports are sent together.
 */
void link_flush(struct link *l, int64_t now_us, struct link_effects *out);

/*
 * The connection of a LINK_DIAL is open. local_address: the local address, as the controller
 * reaches it.
 */
void link_connected(struct link *l, uint64_t session, const char *local_address, int64_t now_us,
		    struct link_effects *out);
/*
 * The connection is open, but with a standby: the session ends. leader: the address of the leader, as it
 * says, which is dialled next if it is in the list; "": not known.
 */
void link_standby(struct link *l, uint64_t session, const char *leader, int64_t now_us,
		  struct link_effects *out);
/* The connection failed or ended; why may be NULL. */
void link_closed(struct link *l, uint64_t session, const char *why, int64_t now_us,
		 struct link_effects *out);
/* A message of the controller, decoded and checked by its schema. */
void link_message(struct link *l, uint64_t session, enum msg_type type, const void *message,
		  int64_t now_us, struct link_effects *out);

/* From the launcher. The first hello starts the link; each replaces the previous one. */
void link_hello(struct link *l, const struct ledger_meta *meta, int64_t now_us,
		struct link_effects *out);
/* A stamp of the launcher's clock, STAMP_SIZE bytes; the latest is sent to the controller. */
void link_stamp(struct link *l, const uint8_t *stamp);
void link_report(struct link *l, const Armada__Report *report);
/* What a running task has used. Only the latest figures are kept, while the task runs. */
void link_usage(struct link *l, const struct task_key *key, const struct task_usage *usage);
/* A step in a running task. Steps are sent together, soon, and before the end of their task. */
void link_step(struct link *l, const struct task_key *key, const struct step_state *state,
	       int64_t now_us);
/* What an output order has read: sent now, or lost. m is borrowed until the effects are applied. */
void link_output(struct link *l, const Armada__OutputRead *m, struct link_effects *out);
void link_inventory_end(struct link *l, uint64_t number, int64_t now_us, struct link_effects *out);
/* The launcher refused this controller. */
void link_controller_refused(struct link *l, const char *why, int64_t now_us,
			     struct link_effects *out);

/* The machine is shutting down: sent at once, and in all later messages. */
void link_shutdown(struct link *l, int64_t now_us, struct link_effects *out);
/* The health of the node; empty: healthy. Sent at once. */
void link_health(struct link *l, const char *text);
/* How tasks get their cpus (cpu_containment of RegisterNode). Sent at once. */
void link_cpus(struct link *l, const char *text);
void link_sample(struct link *l, int64_t free_memory_bytes, double load);

bool link_open(const struct link *l);      /* registered */
size_t link_pending(const struct link *l); /* number of reports that are not acknowledged */
