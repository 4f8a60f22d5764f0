/*
 * Attempts of a period, in the order of their ends, or the newest ones first.
 *
 * In: a filter with a cursor. Out: the packed rows, as the tables `row` and `attempt` have them. An
 * attempt whose row is missing, because it is being written, is left out.
 */
#include "accounting.h"
#include "error.h"

static const char joins[] =
	"LEFT JOIN row r ON NOT a.requeued AND r.job = a.job AND "
	"r.first_element = a.first_element AND r.attempt = a.attempt "
	"LEFT JOIN attempt t ON a.requeued AND t.job = a.job AND t.element = a.first_element AND "
	"t.attempt = a.attempt";

static const char *order_of(const struct armada_attempt_filter *f)
{
	return f->newest_first ? "ORDER BY a.end_us DESC"
			       : "ORDER BY a.end_us, a.job, a.first_element, a.attempt";
}

/* One pass; *count: the rows so far. */
static int list_pass(struct accounting_query *q, enum accounting_pass pass, uint32_t *count,
		     armada_attempt_fn *on_row, void *arg, struct armada_error *err)
{
	uint32_t limit = q->filter->limit;
	int rc = accounting_prepare(q, pass, "coalesce(r.row, t.row)", joins, order_of(q->filter),
				    err);

	while (!rc && !(limit && *count >= limit)) {
		rc = accounting_step(q, err);
		if (rc <= 0)
			break;
		rc = 0;
		if (sqlite3_column_type(q->st, 0) == SQLITE_NULL)
			continue;
		rc = on_row(arg, sqlite3_column_blob(q->st, 0),
			    (size_t)sqlite3_column_bytes(q->st, 0));
		(*count)++;
	}
	sqlite3_finalize(q->st);
	q->st = NULL;
	return rc;
}

int accounting_list(void *handle, const struct armada_attempt_filter *f, armada_attempt_fn *on_row,
		    void *arg, struct armada_error *err)
{
	struct store *s = handle;
	struct accounting_query q = {.db = &s->accounts, .filter = f};
	uint32_t count = 0;
	int rc = accounting_begin(s, f, err);

	if (rc)
		return rc;
	for (int i = 0; i < PASS_COUNT && !rc; i++) {
		/* the newest first: those that ended later come first */
		enum accounting_pass pass = f->newest_first ? PASS_COUNT - 1 - i : i;

		rc = list_pass(&q, pass, &count, on_row, arg, err);
	}
	accounting_end(s, rc, err);
	return rc;
}
