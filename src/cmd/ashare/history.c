/*
 * ashare --history and --plot: samples of the queues over time (samples.h).
 *
 * The samples are printed as a listing or JSON, or drawn by plot.c. A named queue without samples is an
 * error.
 */
#include "cmd/ashare/history.h"

#include "client/connection.h"
#include "cmd/ashare/file.h"
#include "cmd/ashare/plot.h"
#include "cmd/ashare/samples.h"
#include "util/mem.h"
#include "util/units.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <uthash.h>

/* Prints the first time of the samples if some that were asked for are missing. */
static void report_cut(const struct samples *v)
{
	char when[48];

	if (!v->cut || !v->count)
		return;
	format_time(v->list[0]->time_us, when, sizeof(when));
	fprintf(stderr, "ashare: too many samples; only those since %s are shown\n", when);
}

static int print(const struct ashare *r, const struct samples *v, struct err *err)
{
	if (!r->listing.json)
		return listing_print(&history_listing, &r->listing,
				     (const void *const *)v->list + v->earlier,
				     v->count - v->earlier, stdout, err);
	listing_json_print(samples_json(v), stdout);
	return 0;
}

static int plot(const struct ashare *r, const struct samples *v, int64_t now_us, struct err *err)
{
	CLEANUP_BUF struct buf svg = {0};

	plot_shares(v->list, v->count, v->since_us, now_us, r->stacked, &svg);
	return file_replace(r->plot, svg.data, svg.len, err);
}

int ashare_history(const struct ashare *r, const char *const *names, size_t count, int64_t now_us,
		   struct err *err)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	struct connection *c = NULL;
	struct samples v;
	int rc = connection_new(&c, NULL, err);

	if (rc == 0)
		rc = samples_fetch(c, r->since, names, count, now_us, arena, &v, err);
	connection_free(c);
	if (rc < 0)
		return rc;
	report_cut(&v);
	if (count && !v.count)
		return samples_check_names(&v, names, count, err);
	rc = r->plot ? plot(r, &v, now_us, err) : print(r, &v, err);
	return rc ? rc : samples_check_names(&v, names, count, err);
}
