/*
 * GET /v1/accounting: the attempts of a period from the history, in the order of their ends, with the members
 * of aacct --json; jobs that have not ended are in GET /v1/jobs. GET /v1/usage: sums over them.
 */
#include "armrestd/routes.h"
#include "armrestd/selection.h"
#include "client/known.h"
#include "cmd/aacct/period.h"
#include "cmd/aacct/usage.h"
#include "cmd/listing/listing.h"
#include "util/clock.h"
#include "util/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { PAGE = 100, PAGE_MAX = 1000, PARTS = 4, CURSOR_SIZE = 96 };

/* *from_us stays if it is not given; to is now then. */
static int read_period(const struct exchange *x, int64_t *from_us, int64_t *to_us, struct err *err)
{
	const char *from = exchange_query(x, "from"), *to = exchange_query(x, "to");
	int64_t now_us = clock_us(CLOCK_REALTIME);

	if (from && period_parse(from, now_us, from_us, err) < 0)
		return err_prefix(err, -EINVAL, "from");
	*to_us = now_us + 1000000;
	if (to && period_parse(to, now_us, to_us, err) < 0)
		return err_prefix(err, -EINVAL, "to");
	if (*from_us >= *to_us)
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
	/* as aacct: from today, or from the beginning if jobs are named */
	q.from_us = f->message.n_ids ? 0 : period_day(clock_us(CLOCK_REALTIME), 0);
	if (rc == 0)
		rc = read_period(x, &q.from_us, &q.to_us, err);
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

/* The history may know users and accounts that exist no more. */
static bool may_have_been(const void *answer, enum filter_by by, const char *name)
{
	(void)answer, (void)name;
	return by == FILTER_USERS || by == FILTER_ACCOUNTS;
}

static int sums(struct exchange *x, struct aacct *a, struct err *err)
{
	const char *by = exchange_query(x, "by");
	bool efficiency;
	json_t *rows;
	int rc = exchange_flag(x, "efficiency", &efficiency, err);

	a->efficiency = efficiency;
	a->start_us = period_month(clock_us(CLOCK_REALTIME));
	if (rc == 0 && by && usage_read_by(a, by, err) < 0)
		return err_prefix(err, -EINVAL, "by");
	if (rc == 0)
		rc = selection_read(x, &a->which.filter, err);
	if (rc == 0)
		rc = read_period(x, &a->start_us, &a->end_us, err);
	if (rc == 0)
		rc = known_check(x->c, &a->which.filter, may_have_been, NULL, err);
	if (rc == 0)
		rc = usage_json(a, x->c, &rows, err);
	if (rc < 0)
		return rc;
	x->json = listing_json_new();
	json_object_set_new(x->json, usage_listing(a)->key, rows);
	return 0;
}

/* GET /v1/usage: the sums of aacct --usage, or of --efficiency. */
int list_usage(struct exchange *x, struct err *err)
{
	struct aacct a = {.by = AACCT_BY_USER};
	int rc;

	filter_init(&a.which.filter);
	rc = sums(x, &a, err);
	filter_done(&a.which.filter);
	return rc;
}
