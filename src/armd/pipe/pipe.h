/*
 * The messages between the network process and the launcher of armd.
 *
 * A SOCK_SEQPACKET socketpair carries one message in each datagram, of fixed layout, integers
 * little endian, so that the process that keeps root parses nothing else. The body of a launch
 * order travels beside its datagram in a sealed memfd (SCM_RIGHTS). The launcher does not trust
 * these messages. Orders carry the controller's signature, and the public key for it comes in a
 * credential that the launcher decodes itself. If a datagram does not decode, the launcher kills
 * the network process and starts a new one.
 *
 * network to launcher
 *	ORDER		a signed order, and a body for a launch; answered by REPORTs or a PROBLEM
 *	ACKED		the end of these attempts is durable at the controller
 *	CONTROLLER	cluster id and credential of the controller; answered by HELLO if it is the
 *			first contact, by PROBLEM if they are refused
 *	INVENTORY	request for all reports; answered by REPORTs and then INVENTORY_END with the same
 *			number
 * launcher to network
 *	HELLO		the identity of this node: the first message, repeated when the meta has changed
 *	REPORT		one report for the controller, packed
 *	STAMP		the launcher's time with a MAC, which the controller copies into orders; a new one
 *			follows when one has been returned, and before INVENTORY_END
 *	INVENTORY_END	all reports have been sent
 *	PROBLEM		a sentence for the log, and its subject
 *	HEALTH		the health of the node
 *	CPUS		how tasks get their cpus, as the node registers it
 *	USAGE		what a running task has used
 *	STEP		a step in a task runs, or has ended
 *	SHUTDOWN	the machine is being shut down
 *	OUTPUT		what the output order of this number has read: a packed OutputRead, in a sealed memfd
 *
 * The numbers may change, because both ends are one program.
 */
#pragma once

#include "agent/ledger.h"
#include "proto/step_state.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pipe_type {
	PIPE_ORDER = 1,
	PIPE_ACKED = 2,
	PIPE_CONTROLLER = 3,
	PIPE_INVENTORY = 4,
	PIPE_HELLO = 65,
	PIPE_REPORT = 66,
	PIPE_INVENTORY_END = 67,
	PIPE_PROBLEM = 68,
	PIPE_STAMP = 69,
	PIPE_SHUTDOWN = 71,
	PIPE_HEALTH = 70, /* problem.text: what is wrong with the node; empty: nothing */
	PIPE_USAGE = 73,  /* what a running task has used */
	PIPE_OUTPUT = 74, /* number: of the order */
	PIPE_STEP = 75,
	PIPE_CPUS = 72, /* problem.text: how tasks get their cpus (armd/machine/cpus.h) */
};

/* The subject of a PROBLEM; the network process reacts to some of them. */
enum pipe_about {
	PIPE_ABOUT_ORDER = 1,      /* an order was dropped: bad signature, stale, wrong body */
	PIPE_ABOUT_CONTROLLER = 2, /* a CONTROLLER was refused: the session should be closed */
	PIPE_ABOUT_SPOOL = 3,      /* the spool is full or broken */
};

enum {
	PIPE_DATAGRAM = 16384,   /* no message is larger */
	PIPE_KEYS = 512,         /* in one ACKED */
	PIPE_CREDENTIAL = 4096,  /* with its NUL */
	PIPE_TEXT = 1024,        /* with its NUL */
	PIPE_REPORT_MAX = 8192,  /* a packed Armada__Report; the text of its end is cut to fit */
	PIPE_BODY_MAX = 8 << 20, /* a launch order's body */
};

struct pipe_order {
	uint8_t bytes[ORDER_SIZE];
	/* A sealed memfd with the body, or -1. pipe_send borrows it; a receiver owns it. */
	int body_fd;
};

struct pipe_acked {
	struct task_key keys[PIPE_KEYS];
	uint32_t count;
};

struct pipe_controller {
	uint8_t cluster_id[16];
	/*
	 * A credential made by the controller's uid; its payload is the public key of its orders.
	 * Empty: unchanged.
	 */
	char credential[PIPE_CREDENTIAL];
};

struct pipe_report {
	uint8_t packed[PIPE_REPORT_MAX];
	uint32_t len;
};

struct pipe_usage {
	struct task_key key;
	struct task_usage used;
};

struct pipe_step {
	struct task_key key;
	struct step_state state;
};

struct pipe_output {
	int body_fd; /* as in pipe_order */
};

struct pipe_problem {
	enum pipe_about about;
	char text[PIPE_TEXT];
};

/* One message. Large: keep it out of deep stacks. */
struct pipe_msg {
	enum pipe_type type;
	uint64_t number; /* INVENTORY, INVENTORY_END, OUTPUT */
	union {
		struct pipe_order order;
		struct pipe_acked acked;
		struct pipe_controller controller;
		uint8_t stamp[16];
		struct ledger_meta hello;
		struct pipe_report report;
		struct pipe_problem problem;
		struct pipe_usage usage;
		struct pipe_step step;
		struct pipe_output output;
	};
};

/* The descriptor that goes with the message; NULL: messages of this type have none. */
int *pipe_body_fd(struct pipe_msg *m);
/* Encode; returns the length, at most PIPE_DATAGRAM. A body_fd is not in the bytes. */
size_t pipe_encode(const struct pipe_msg *m, uint8_t ret_bytes[PIPE_DATAGRAM]);
/*
 * Decode. False unless the bytes are exactly one message that the other side may send;
 * from_launcher names the sender. Texts have a NUL and no control bytes; its body_fd is -1.
 */
bool pipe_decode(const uint8_t *bytes, size_t len, bool from_launcher, struct pipe_msg *ret_msg);
