/*
 * Counts of all that the peers of a net make it keep, by address and by uid, and their limits.
 *
 * Counted are: connections in the handshake (by address), open connections, requests a second, bytes of
 * output and of answers that are being prepared, bytes of records that are being committed, and large
 * messages that are being received (all by uid). This module counts and compares; conn.c, output.c and turn.c
 * apply the results. Each call is O(1).
 */
#pragma once

#include "wire/net.h"

#include <sys/queue.h>
#include <uthash.h>

struct conn;
struct address_use;

/* A user with open connections. */
struct uid_use {
	uint32_t uid;
	bool privileged; /* outside of the limits of all users, and served first */
	uint32_t conns;
	uint32_t large;           /* messages over LARGE_MESSAGE that are being received */
	size_t output;            /* bytes that its connections have not sent yet */
	size_t commit;            /* bytes of its records that are not durable yet */
	double tokens;            /* requests that it may make at once; below 0: it must wait */
	int64_t at_us;            /* when tokens was right */
	TAILQ_HEAD(, conn) ready; /* connections with messages to deliver (turn.c) */
	TAILQ_ENTRY(uid_use) ring;
	UT_hash_handle hh;
};

/* A connection in its handshake, in the list of its address. */
struct handshake_use {
	TAILQ_ENTRY(handshake_use) of_address, of_all; /* the oldest first */
	struct address_use *of;                        /* NULL: not counted */
	int64_t since_us;
};

struct limits {
	struct net_limits max;
	struct address_use *addresses;
	struct uid_use *uids;
	uint32_t conns, agents, handshakes, large; /* of all users and addresses */
	size_t output;
	TAILQ_HEAD(, handshake_use) all;
};

/* max NULL: the defaults of net.h. */
void limits_init(struct limits *l, const struct net_limits *max);
void limits_done(struct limits *l);

/* May one more connection from address begin its handshake? */
bool limits_handshake_room(const struct limits *l, const char *address);
void limits_handshake_begin(struct limits *l, const char *address, struct handshake_use *h,
			    int64_t now_us);
/* Does nothing if h is not counted. */
void limits_handshake_end(struct limits *l, struct handshake_use *h);
/*
 * The connections to choose from when one more from address is not allowed, the oldest first: those of the
 * address if it has too many, else all. NULL for h: the first one.
 */
struct handshake_use *limits_handshake_next(const struct limits *l, const char *address,
					    const struct handshake_use *h);

/*
 * A connection of uid is open; NULL: the uid has too many, or all users together. Each result needs a close.
 * privileged: the uid is known to be.
 */
struct uid_use *limits_uid_open(struct limits *l, uint32_t uid, bool privileged, int64_t now_us);
void limits_uid_close(struct limits *l, struct uid_use *u, int64_t now_us);
/* A request was accepted. Returns the time in microseconds for which its connection must pause. */
int64_t limits_request(struct limits *l, struct uid_use *u, int64_t now_us);

/* u is privileged from now on. */
void limits_privilege(struct limits *l, struct uid_use *u);
/* The output of a connection of u grew from before to now bytes, or shrank. */
void limits_output(struct limits *l, struct uid_use *u, size_t before, size_t now);
/* The records of u that are not durable grew by so many bytes, or shrank. */
void limits_commit(struct uid_use *u, int64_t bytes);
/*
 * True if u, or all users, have so much unsent output, or u such large records, that none of its requests may
 * be taken.
 */
bool limits_full(const struct limits *l, const struct uid_use *u);
/* True if so much was sent and written that requests may be taken again: half of the limits. */
bool limits_room(const struct limits *l, const struct uid_use *u);

/* May u receive one more large message? True needs an end. */
bool limits_large_begin(struct limits *l, struct uid_use *u);
void limits_large_end(struct limits *l, struct uid_use *u);
