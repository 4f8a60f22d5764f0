/*
 * The list of clients that wait for output (output_reads.h). Input: orders to read, answers of nodes, closed
 * connections, time. Output: one answer for each client that is still there.
 *
 * A node is not trusted: an answer counts only on the connection that got the order, and with no more bytes
 * than were asked for.
 */
#include "core/txn/output_reads.h"

#include "core/txn/effects.h"
#include "util/mem.h"
#include "util/utf8.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_REFUSED = 1, EXIT_NOT_FOUND = 3, EXIT_TRY_AGAIN = 75 };

int output_reads_admit(const struct txn *txn, struct err *err)
{
	const struct core_policy *p = txn->policy;
	const struct output_read *r;
	uint64_t own = 0;

	TAILQ_FOREACH (r, &txn->live->output_reads, entry)
		own += r->uid == txn->in->caller->uid;
	if (p->max_output_reads_of_user && own >= (uint64_t)p->max_output_reads_of_user)
		return err_set(err, -EAGAIN,
			       "nodes read %" PRIu64
			       " parts of output for this user already, which is the limit "
			       "(limits.output_reads_per_user)",
			       own);
	if (p->max_output_reads && txn->live->output_read_count >= (uint64_t)p->max_output_reads)
		return err_set(err, -EAGAIN,
			       "nodes read %" PRIu64
			       " parts of output, which is the limit (limits.output_reads): try "
			       "again later",
			       txn->live->output_read_count);
	return 0;
}

void output_reads_add(struct txn *txn, uint64_t number, uint64_t node_conn, const char *node,
		      const char *path, uint32_t limit)
{
	struct output_read *r = xcalloc(1, sizeof(*r));

	r->number = number;
	r->conn = txn->in->conn;
	r->request = txn->in->request;
	r->uid = txn->in->caller->uid;
	r->node_conn = node_conn;
	r->until_us = txn->in->steady_us + txn->policy->output_read_us;
	r->limit = limit;
	r->node = xstrdup(node);
	r->path = xstrdup(path);
	TAILQ_INSERT_TAIL(&txn->live->output_reads, r, entry);
	txn->live->output_read_count++;
}

static void drop(struct live *l, struct output_read *r)
{
	TAILQ_REMOVE(&l->output_reads, r, entry);
	l->output_read_count--;
	free(r->node);
	free(r->path);
	free(r);
}

/* Answers with a problem, and drops the read. */
__attribute__((format(printf, 4, 5))) static void refuse(struct txn *txn, struct output_read *r,
							 int code, const char *fmt, ...)
{
	Armada__ErrorReply m = ARMADA__ERROR_REPLY__INIT;
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	m.code = code;
	m.text = text;
	effect_send(txn, r->conn, r->request, MSG_ERROR, &m);
	drop(txn->live, r);
}

static void send_data(struct txn *txn, struct output_read *r, const Armada__OutputRead *m)
{
	Armada__OutputReply reply = ARMADA__OUTPUT_REPLY__INIT;

	reply.data = m->data;
	reply.offset = m->offset;
	reply.size = m->size;
	reply.path = r->path;
	reply.node = r->node;
	effect_send(txn, r->conn, r->request, MSG_OUTPUT_REPLY, &reply);
	drop(txn->live, r);
}

static struct output_read *find(const struct live *l, uint64_t number, uint64_t node_conn)
{
	struct output_read *r;

	TAILQ_FOREACH (r, &l->output_reads, entry)
		if (r->number == number && r->node_conn == node_conn)
			return r;
	return NULL;
}

enum { PROBLEM_MAX = 700 };

static int problem_length(const Armada__OutputRead *m)
{
	size_t len = strnlen(m->problem, PROBLEM_MAX);

	return (int)(len < PROBLEM_MAX ? len : utf8_whole(m->problem, PROBLEM_MAX));
}

static int code_of(const Armada__OutputRead *m)
{
	return m->code == EXIT_NOT_FOUND || m->code == EXIT_TRY_AGAIN ? m->code : EXIT_REFUSED;
}

bool output_reads_answer(struct txn *txn, const Armada__OutputRead *m)
{
	struct output_read *r = find(txn->live, m->number, txn->in->conn);

	if (!r)
		return false;
	if (m->problem[0])
		refuse(txn, r, code_of(m), "node %s: %.*s", r->node, problem_length(m), m->problem);
	else if (m->data.len > r->limit)
		refuse(txn, r, EXIT_REFUSED, "node %s sent more than was asked for", r->node);
	else
		send_data(txn, r, m);
	return true;
}

void output_reads_closed(struct txn *txn, uint64_t conn)
{
	struct output_read *r, *next;

	for (r = TAILQ_FIRST(&txn->live->output_reads); r; r = next) {
		next = TAILQ_NEXT(r, entry);
		if (r->conn == conn)
			drop(txn->live, r);
		else if (r->node_conn == conn)
			refuse(txn, r, EXIT_TRY_AGAIN,
			       "node %s lost its connection while it read the output: try again",
			       r->node);
	}
}

/* The time that a read may take can be changed, so the list need not be in the order of its ends. */
void output_reads_tick(struct txn *txn)
{
	struct output_read *r, *next;

	for (r = TAILQ_FIRST(&txn->live->output_reads); r; r = next) {
		next = TAILQ_NEXT(r, entry);
		if (txn->in->steady_us >= r->until_us)
			refuse(txn, r, EXIT_TRY_AGAIN,
			       "node %s did not send the output in time "
			       "(limits.output_read_timeout)",
			       r->node);
	}
}

void output_reads_free(struct live *l)
{
	while (!TAILQ_EMPTY(&l->output_reads))
		drop(l, TAILQ_FIRST(&l->output_reads));
}
