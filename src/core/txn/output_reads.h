/*
 * Clients that wait until a node has read a part of an output file (OUTPUT).
 *
 * A read ends in one of five ways: the node answers, the time is over, the connection of the node or
 * of the client ends, or the controller ends. In the first three cases the client gets exactly one
 * answer. All of it is volatile. The list is short (limits.output_reads), so each operation takes
 * O(reads).
 */
#pragma once

#include "core/txn/txn.h"

struct output_read {
	TAILQ_ENTRY(output_read) entry;
	uint64_t number; /* of the order */
	uint64_t conn;   /* of the client */
	uint32_t request, uid;
	uint64_t node_conn; /* who may answer */
	int64_t until_us;   /* steady */
	uint32_t limit;     /* bytes that were asked for */
	char *node, *path;  /* owned */
};

/* 0; or -EAGAIN with a sentence: the user, or all users, have as many as allowed. */
int output_reads_admit(const struct txn *txn, struct err *err);
/* The client of the input waits for the order with this number. */
void output_reads_add(struct txn *txn, uint64_t number, uint64_t node_conn, const char *node,
		      const char *path, uint32_t limit);
/* A node has answered. False: nobody waits for this answer of this connection. */
bool output_reads_answer(struct txn *txn, const Armada__OutputRead *m);
/* A connection has ended: of a client, or of a node. */
void output_reads_closed(struct txn *txn, uint64_t conn);
/* Refuse those whose time is over. */
void output_reads_tick(struct txn *txn);
void output_reads_free(struct live *l);
