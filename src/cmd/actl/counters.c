/*
 * actl show counters: what the controller counted since its start, and measures now.
 *
 * Input: the rows of the controller. Output: a listing. A histogram is one row with its mean; its
 * buckets are a column.
 */
#include "cmd/actl/counters.h"

#include "util/mem.h"

#include <inttypes.h>

#define ROW(row) ((const Armada__Counter *)(row))

uint64_t counter_measured(const Armada__Counter *row)
{
	uint64_t n = 0;

	for (size_t i = 0; i < row->n_counts; i++)
		n += row->counts[i];
	return n;
}

static void of_text(const void *row, struct buf *out)
{
	if (ROW(row)->label[0])
		buf_addf(out, "%s=%s", ROW(row)->label, ROW(row)->value);
}

static json_t *of_json(const void *row)
{
	json_t *o = json_object();

	if (ROW(row)->label[0])
		json_object_set_new(o, ROW(row)->label, json_string(ROW(row)->value));
	return o;
}

static void value_text(const void *row, struct buf *out)
{
	const Armada__Counter *r = ROW(row);
	uint64_t n = counter_measured(r);

	if (r->n_bounds)
		buf_addf(out, "%" PRIu64 " times, mean %.6g", n, n ? r->amount / (double)n : 0);
	else
		buf_addf(out, "%.15g", r->amount);
}

static json_t *value_json(const void *row)
{
	return ROW(row)->n_bounds ? json_integer((json_int_t)counter_measured(ROW(row)))
				  : json_real(ROW(row)->amount);
}

static json_t *buckets_json(const void *row)
{
	const Armada__Counter *r = ROW(row);
	json_t *list = json_array();

	for (size_t i = 0; i < r->n_counts; i++)
		json_array_append_new(list, json_pack("{s:o, s:I}", "up_to",
						      i < r->n_bounds ? json_real(r->bounds[i])
								      : json_null(),
						      "count", (json_int_t)r->counts[i]));
	return list;
}

static void buckets_text(const void *row, struct buf *out)
{
	const Armada__Counter *r = ROW(row);
	bool first = true;

	for (size_t i = 0; i < r->n_counts; i++) {
		if (!r->counts[i])
			continue;
		buf_addstr(out, first ? "" : ",");
		first = false;
		if (i < r->n_bounds)
			buf_addf(out, "%g=%" PRIu64, r->bounds[i], r->counts[i]);
		else
			buf_addf(out, "more=%" PRIu64, r->counts[i]);
	}
}

static json_t *sum_json(const void *row)
{
	return ROW(row)->n_bounds ? json_real(ROW(row)->amount) : json_null();
}

static void sum_text(const void *row, struct buf *out)
{
	if (ROW(row)->n_bounds)
		buf_addf(out, "%.6g", ROW(row)->amount);
}

/* clang-format off */
static const struct column columns[] = {
	{"counter", "COUNTER", 0, false, false, CELL_TEXT(Armada__Counter, name), NULL, "The thing that is counted or measured"},
	{"of", "OF", 0, false, false, CELL(of_text, of_json), NULL, "The kind, queue or exit code that the row is about"},
	{"value", "VALUE", 0, true, false, CELL(value_text, value_json), NULL, "The count since the controller started, or the present value; of times, how many were measured and their mean in seconds"},
	{"sum", "SUM", 0, true, false, CELL(sum_text, sum_json), NULL, "The sum of the measured times in seconds; null in JSON for other rows"},
	{"buckets", "BUCKETS", 0, false, true, CELL(buckets_text, buckets_json), NULL, "Of times: how many were measured up to each bound in seconds, and above the bound before"},
	{"help", "HELP", 0, false, true, CELL_TEXT(Armada__Counter, help), NULL, "What the counter means"},
};
/* clang-format on */

const struct listing counter_listing = LISTING("counters", "counter,of,value,help", columns);

int actl_show_counters(struct actl *a, struct err *err)
{
	Armada__CountersRequest q = ARMADA__COUNTERS_REQUEST__INIT;
	const Armada__CountersReply *r;
	int rc = listing_check(&counter_listing, &a->listing, err);

	if (rc == 0)
		rc = connection_ask(a->c, MSG_COUNTERS, &q, MSG_COUNTERS_REPLY, a->arena, 0, &r,
				    err);
	if (rc < 0)
		return rc;
	return listing_print(&counter_listing, &a->listing, (const void *const *)r->rows, r->n_rows,
			     stdout, err);
}
