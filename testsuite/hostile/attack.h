/*
 * The attacks, as rows of a table, and what one of them saw.
 */
#pragma once

#include "hostile/peer.h"

#include <stdatomic.h>

enum phase { PHASE_SETUP, PHASE_ATTACK, PHASE_DONE };

/* Written by the hostile process, read by the honest one: it lies in memory that both share. */
struct report {
	atomic_int phase;
	uint64_t opened, refused, closed; /* connections; closed: by the controller */
	uint64_t answered, errors;        /* requests; errors: answered with an ERROR */
	char why[512];                    /* the last reason of the controller */
};

struct attack {
	const struct verb *verb;
	const struct target *target;
	struct report *report;
	unsigned connections, requests; /* requests: of each connection */
	double seconds;
	uint64_t job;      /* what setup has submitted */
	struct buf script; /* of 1 MB */
	struct peer *peers;
};

enum reading { READ_NOTHING, READ_SLOWLY, READ_ALL };

struct verb {
	const char *name, *help;
	unsigned connections, requests;
	void (*setup)(struct attack *a);
	/* packs the next request of the connection into its session */
	void (*next)(struct attack *a, struct peer *p);
	/* the handshake is done; NULL: on all connections */
	bool (*opens)(const struct peer *p);
	enum reading reading;
	bool again; /* a closed connection is replaced: at once, or without `next` each second */
	bool asks_history; /* the honest client asks for history instead of PING */
	bool hangs_up;     /* connect and close, nothing else */
};

/* Ends with a row without a name. */
extern const struct verb verbs[];

/* Does the attack; the connections are closed and the jobs cancelled at the end. */
void attack_run(struct attack *a);
