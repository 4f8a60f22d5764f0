/*
 * GET /v1/accounting: the attempts of a period from the history, in the order of their ends, with the members
 * of aacct --json. Jobs that have not ended are in GET /v1/jobs.
 */
#include "armrestd/routes.h"
#include "armrestd/selection.h"
#include "cmd/aacct/period.h"
#include "cmd/listing/listing.h"
#include "util/clock.h"
#include "util/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { PAGE = 100, PAGE_MAX = 1000, PARTS = 4, CURSOR_SIZE = 96 };

/* As of aacct: from today, or from the beginning if jobs are named, until now. */
static int read_period(const struct exchange *x, Armada__AccountingRequest *q, struct err *err)
{
	const char *from = exchange_query(x, "from"), *to = exchange_query(x, "to");
	int64_t now_us = clock_us(CLOCK_REALTIME);
	int rc = 0;

	q->from_us = q->filter->n_ids ? 0 : period_day(now_us, 0);
	q->to_us = now_us + 1000000;
	if (from && (rc = period_parse(from, now_us, &q->from_us, err)) < 0)
		return err_prefix(err, -EINVAL, "from");
	if (to && (rc = period_parse(to, now_us, &q->to_us, err)) < 0)
		return err_prefix(err, -EINVAL, "to");
	if (q->from_us >= q->to_us)
		return err_set(err, -EINVAL, "the period is empty: from (%s) is not before to (%s)",
			       from ? from : "the default", to ? to : "now");
	return 0;
}

/* "END.JOB.ELEMENT.ATTEMPT" of the last row of the page before. */
static int read_cursor(const struct exchange *x, Armada__AccountingRequest *q, struct err *err)
{
	static const int64_t most[PARTS] = {INT64_MAX, INT64_MAX, UINT32_MAX, UINT32_MAX};
	const char *text = exchange_query(x, "cursor");
	char copy[CURSOR_SIZE], *at = copy;
	int64_t parts[PARTS];
	struct err ignored;

	if (!text)
		return 0;
	snprintf(copy, sizeof(copy), "%s", text);
	for (size_t i = 0; i < PARTS; i++) {
		char *part = strsep(&at, ".");

		if (!part || parse_int(part, 0, most[i], &parts[i], &ignored) < 0)
			return err_set(err, -EINVAL,
				       "cursor: '%.40s' is not the member next of a page", text);
	}
	if (at || strlen(text) >= sizeof(copy))
		return err_set(err, -EINVAL, "cursor: '%.40s' is not the member next of a page",
			       text);
	q->has_after = true;
	q->after_end_us = parts[0];
	q->after_id = (uint64_t)parts[1];
	q->after_element = (uint32_t)parts[2];
	q->after_attempt = (uint32_t)parts[3];
	return 0;
}

static void answer(struct exchange *x, const Armada__AccountingReply *r)
{
	char next[CURSOR_SIZE];

	snprintf(next, sizeof(next), "%" PRId64 ".%" PRIu64 ".%" PRIu32 ".%" PRIu32,
		 r->next_after_end_us, r->next_after_id, r->next_after_element,
		 r->next_after_attempt);
	x->json = listing_json_new();
	json_object_set_new(x->json, "attempts", selection_rows(r->rows, r->n_rows));
	json_object_set_new(x->json, "next", r->more ? json_string(next) : json_null());
}

static int page(struct exchange *x, const struct filter *f, struct err *err)
{
	Armada__AccountingRequest q = ARMADA__ACCOUNTING_REQUEST__INIT;
	const Armada__AccountingReply *r;
	int64_t limit = PAGE;
	int rc = exchange_number(x, "limit", 1, PAGE_MAX, &limit, err);

	q.filter = (Armada__JobFilter *)&f->message;
	q.limit = (uint32_t)limit;
	if (rc == 0)
		rc = read_period(x, &q, err);
	if (rc == 0)
		rc = read_cursor(x, &q, err);
	if (rc == 0)
		rc = exchange_ask(x, MSG_ACCOUNTING, &q, MSG_ACCOUNTING_REPLY, &r, err);
	if (rc == 0)
		answer(x, r);
	return rc;
}

int list_accounting(struct exchange *x, struct err *err)
{
	struct filter f;
	int rc;

	filter_init(&f);
	rc = selection_read(x, &f, err);
	if (rc == 0)
		rc = page(x, &f, err);
	filter_done(&f);
	return rc;
}
