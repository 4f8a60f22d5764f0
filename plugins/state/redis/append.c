/*
 * Appending records.
 *
 * A batch becomes some scripts of many records each, and one wait for the copies, all on one connection. The
 * outcome of what was sent is unknown after a timeout or a lost connection: then the head of the store says
 * which of the records are there. These are not sent again, but something is written before the next wait,
 * because WAIT says nothing on a connection that has written nothing.
 */
#include "../sqlite/chain.h"
#include "../sqlite/error.h"
#include "../sqlite/le.h"
#include "lead.h"
#include "link.h"
#include "stream.h"
#include "script.h"
#include "sync.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECORDS_MAX = 128, FIXED_ARGS = 10, BYTES_MAX = 1 << 20 };

struct append {
	struct engine *e;
	const struct armada_state_record *records;
	size_t count, done;          /* done: in the store already */
	uint8_t (*hash)[HASH_BYTES]; /* [0]: of the record before the first one */
	size_t scripts;
};

static int check_records(const struct append *a, struct armada_error *err)
{
	for (size_t i = 0; i < a->count; i++) {
		if (a->records[i].seq != a->e->tail.seq + 1 + i)
			return fail(err, -EINVAL,
				    "record %" PRIu64 " does not follow record %" PRIu64,
				    a->records[i].seq, a->e->tail.seq + i);
		if (a->records[i].len > RECORD_BYTES_MAX)
			return fail(err, -EMSGSIZE, "record %" PRIu64 " has %zu bytes",
				    a->records[i].seq, a->records[i].len);
	}
	return 0;
}

static void chain(const struct append *a)
{
	memcpy(a->hash[0], a->e->tail.hash, HASH_BYTES);
	for (size_t i = 0; i < a->count; i++) {
		memcpy(a->hash[i + 1], a->hash[i], HASH_BYTES);
		chain_next(a->hash[i + 1], a->records[i].seq, a->records[i].data,
			   a->records[i].len);
	}
}

/* The head says what became of records that were sent before. */
static int find_done(struct append *a, const struct head *h, struct armada_error *err)
{
	uint64_t before = a->e->tail.seq;

	if (h->epoch != atomic_load(&a->e->epoch))
		return fail(err, -ESTALE, "another controller has taken the lead: epoch %" PRIu64,
			    h->epoch);
	a->done = (size_t)(h->end.seq - before);
	if (h->end.seq >= before && a->done <= a->count &&
	    memcmp(a->hash[a->done], h->end.hash, HASH_BYTES) == 0)
		return 0;
	atomic_store(&a->e->stopped, true);
	return fail(
		err, -EUCLEAN,
		"the log in the store ends at record %" PRIu64
		" with another hash than that of the records that were sent after record %" PRIu64,
		h->end.seq, before);
}

/* One script with the records from first on; returns how many. */
static int send_records(struct append *a, struct link *l, struct command *c, size_t first,
			size_t *ret_count, struct armada_error *err)
{
	uint8_t crc[RECORDS_MAX][8];
	char keys[KEYS_BYTES], seq[RECORDS_MAX][24];
	struct place acked = acked_place(a->e);
	size_t n = 0, bytes = 0, hash_at;

	script_begin(l, c, SCRIPT_APPEND, keys, "head", "log");
	command_u64(c, atomic_load(&a->e->epoch));
	command_u64(c, a->e->tail.seq + first);
	command_blob(c, a->hash[first], HASH_BYTES);
	hash_at = (size_t)c->count;
	command_blob(c, NULL, 0);
	command_u64(c, acked.seq);
	while (first + n < a->count && n < RECORDS_MAX && bytes < BYTES_MAX) {
		const struct armada_state_record *r = &a->records[first + n];

		snprintf(seq[n], sizeof(seq[n]), "%" PRIu64, r->seq);
		put_le64(crc[n], chain_crc(a->hash[first + n], r->seq, r->data, r->len));
		command_text(c, seq[n]);
		command_blob(c, crc[n], sizeof(crc[n]));
		command_blob(c, a->hash[first + n], HASH_BYTES);
		command_blob(c, r->data, r->len);
		bytes += r->len;
		n++;
	}
	c->arg[hash_at] = (const char *)a->hash[first + n];
	c->len[hash_at] = HASH_BYTES;
	*ret_count = n;
	return conn_send(a->e, l->conn, c, err);
}

static int send_all(struct append *a, struct link *l, struct armada_error *err)
{
	struct command *c = calloc(1, sizeof(*c));
	char keys[KEYS_BYTES];
	int rc = 0;

	if (!c)
		abort();
	a->scripts = 0;
	for (size_t first = a->done, n = 0; first < a->count && !rc; first += n, a->scripts++)
		rc = send_records(a, l, c, first, &n, err);
	if (!rc && !a->scripts) {
		script_begin(l, c, SCRIPT_RENEW, keys, "head", NULL);
		command_u64(c, atomic_load(&a->e->epoch));
		command_u64(c, acked_place(a->e).seq);
		rc = conn_send(a->e, l->conn, c, err);
		a->scripts = 1;
	}
	free(c);
	return rc ? rc : sync_send(l, err);
}

/* The answers of the scripts, the first error of which counts, then the copies. */
static int read_all(struct append *a, struct link *l, struct armada_error *err)
{
	struct armada_error why = {""};
	int first = 0, rc = 0;

	for (size_t i = 0; i < a->scripts && !l->conn->err; i++) {
		rc = script_read(l, &why);
		if (rc && !first) {
			first = rc;
			if (err)
				*err = why;
		}
	}
	if (l->conn->err)
		return first ? first : rc;
	rc = sync_wait(l, NULL, true, first ? &why : err);
	return first ? first : rc;
}

static int append_once(struct append *a, struct link *l, struct armada_error *err)
{
	int64_t start_us = now_us();
	struct head h;
	int rc = link_ready(l, NULL, err);

	if (!rc && l->uncertain) {
		rc = link_ready(l, &h, err);
		if (!rc)
			rc = find_done(a, &h, err);
	}
	if (rc)
		return rc;
	l->uncertain = true;
	rc = send_all(a, l, err);
	if (!rc)
		rc = read_all(a, l, err);
	if (rc == -ECANCELED || rc == -ENOEXEC || rc == -EIO) {
		/* the head is not what we have: look at it; or the server has lost the scripts */
		link_close(l);
		rc = -EAGAIN;
	}
	if (!rc)
		lead_renewed(a->e, start_us);
	return rc;
}

int stream_append(void *handle, const struct armada_state_record *records, size_t count,
		  struct armada_error *err)
{
	struct engine *e = handle;
	struct append a = {.e = e, .records = records, .count = count};
	int rc = lead_check(e, err);

	if (rc || !count)
		return rc;
	rc = check_records(&a, err);
	if (rc)
		return rc;
	a.hash = malloc((count + 1) * HASH_BYTES);
	if (!a.hash)
		abort();
	chain(&a);
	rc = append_once(&a, &e->main, err);
	if (rc == -EAGAIN && (!e->main.conn || e->main.conn->err))
		rc = append_once(&a, &e->main, err); /* the connection was old */
	if (!rc) {
		e->main.uncertain = false;
		e->tail.seq += count;
		memcpy(e->tail.hash, a.hash[count], HASH_BYTES);
		atomic_store(&e->local.last_seq, e->tail.seq);
		acked_note(e, &e->tail);
	}
	free(a.hash);
	return lead_answer(e, rc);
}
