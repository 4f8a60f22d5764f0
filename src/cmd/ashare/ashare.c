/*
 * ashare: show the last scheduling round and the shares of the queues, now or over time.
 *
 * Here are the options and the choice: round.c shows the last round, properties.c its numbers, rooms.c
 * the room that the last rounds left, history.c lists or draws the samples over time.
 */
#include "cmd/ashare/ashare.h"

#include "client/known.h"
#include "client/spec/time_parse.h"
#include "cmd/ashare/history.h"
#include "cmd/ashare/properties.h"
#include "cmd/ashare/rooms.h"
#include "cmd/ashare/round.h"
#include "cmd/common/command.h"
#include "cmd/listing/round_rows.h"
#include "util/clock.h"
#include "util/mem.h"

#include <errno.h>
#include <string.h>

static int check_since(const char *value, struct err *err)
{
	int64_t us;

	return time_parse_past(value, clock_us(CLOCK_REALTIME), &us, err);
}

static int check_plot(const char *value, struct err *err)
{
	return *value ? 0 : err_set(err, -EINVAL, "must be a file name, or - for standard output");
}

static const struct opt rows[] = {
	{"history", NULL, 0, NULL, OPT_FLAG(struct ashare, history),
	 "List the samples over time instead of the last round"},
	{"since", NULL, 'S', "TIME", OPT_CHECKED(struct ashare, since, check_since),
	 "Start time of --history and --plot: 1d (ago; the default), 12:30, 2027-01-31"},
	{"properties", NULL, 0, NULL, OPT_FLAG(struct ashare, properties),
	 "Show how the last round keeps what the scheduler promises, in numbers"},
	{"rounds", NULL, 0, NULL, OPT_FLAG(struct ashare, rooms),
	 "List the last rounds: used room, and how much of the reserved room is idle or used by others"},
	{"plot", NULL, 0, "FILE", OPT_CHECKED(struct ashare, plot, check_plot),
	 "Draw the use of the queues over time as an SVG picture; - is standard output"},
	{"stacked", NULL, 0, NULL, OPT_FLAG(struct ashare, stacked),
	 "With --plot: draw the queues above each other, so that the top is the use of all"},
};
static const struct opt_table time_options = {"Shares over time", rows,
					      sizeof(rows) / sizeof(rows[0])};

static const struct opt_table *const tables[] = {&time_options, &listing_options, &command_options,
						 NULL};
static const char *const usages[] = {"[option...] [queue...]",
				     "--properties [option...]",
				     "--rounds [option...]",
				     "--history [--since=TIME] [option...] [queue...]",
				     "--plot=FILE [--stacked] [--since=TIME] [queue...]",
				     NULL};

static int check(const struct ashare *r, size_t operands, struct err *err)
{
	const char *given = r->listing.json       ? "--json"
			    : r->listing.format   ? "--format"
			    : r->listing.noheader ? "--noheader"
						  : NULL;

	if (r->since && !r->history && !r->plot)
		return err_set(err, -EINVAL, "--since needs --history or --plot");
	if (r->stacked && !r->plot)
		return err_set(err, -EINVAL, "--stacked needs --plot");
	if (r->plot && r->history)
		return err_set(err, -EINVAL, "--history and --plot exclude each other");
	if (r->properties && (r->history || r->plot))
		return err_set(err, -EINVAL, "--properties excludes --history and --plot");
	if (r->rooms && (r->history || r->plot || r->properties))
		return err_set(err, -EINVAL,
			       "--rounds excludes --history, --plot and --properties");
	if ((r->properties || r->rooms) && operands)
		return err_set(err, -EINVAL, "--%s is about all queues, and takes no names",
			       r->rooms ? "rounds" : "properties");
	if (r->plot && given)
		return err_set(err, -EINVAL, "%s cannot be used with --plot", given);
	return 0;
}

static const struct listing *listing_of(const struct ashare *r)
{
	return r->properties ? &properties_listing
	       : r->rooms    ? &rooms_listing
	       : r->history  ? &history_listing
			     : &share_listing;
}

/* The error for a queue without a part in the answer: perhaps there is no such queue at all. */
static int absent(const char *const *names, size_t count, int rc, struct err *err)
{
	struct connection *c = NULL;
	struct filter f;
	struct err why;
	int known;

	filter_init(&f);
	known = connection_new(&c, NULL, &why);
	for (size_t i = 0; known == 0 && i < count; i++)
		known = filter_add(&f, FILTER_QUEUES, names[i], &why);
	if (known == 0)
		known = known_check(c, &f, NULL, NULL, &why);
	if (known == -ENOENT)
		*err = why;
	connection_free(c);
	filter_done(&f);
	return rc;
}

static int run(int argc, char **argv, struct err *err)
{
	struct ashare r = {0};
	CLEANUP_FREE const char **operands = NULL;
	size_t count = 0;
	int rc = opt_parse(tables, argc, argv, &r, &operands, &count, err);

	if (rc == 0)
		rc = check(&r, count, err);
	if (rc == 0 && !r.listing.format && listing_of(&r) == &share_listing && !r.plot)
		r.listing.format = getenv("ASHARE_FORMAT");
	if (rc == 0)
		rc = listing_check(listing_of(&r), &r.listing, err);
	if (rc == 0 && r.properties)
		rc = ashare_properties(&r, err);
	else if (rc == 0 && r.rooms)
		rc = ashare_rooms(&r, err);
	else if (rc == 0)
		rc = r.history || r.plot
			     ? ashare_history(&r, operands, count, clock_us(CLOCK_REALTIME), err)
			     : ashare_round(&r, operands, count, err);
	if (rc == -ENOENT && count)
		rc = absent(operands, count, rc, err);
	return rc;
}

static void columns_help(struct buf *out)
{
	listing_help(&share_listing, out);
	buf_addstr(out, "\nWith --history:\n");
	listing_help(&history_listing, out);
	buf_addstr(out, "\nWith --properties:\n");
	listing_help(&properties_listing, out);
	buf_addstr(out, "\nWith --rounds:\n");
	listing_help(&rooms_listing, out);
}

static const struct command ashare = {
	.name = "ashare",
	.summary = "Show the last scheduling round and the shares of the queues, now or over time",
	.usages = usages,
	.tables = tables,
	.more_help = columns_help,
	.notes =
		"With --noheader, --format or names of queues, only the table of queues is printed.",
	.run = run,
};

int main(int argc, char **argv)
{
	listing_locale();
	return command_main(&ashare, argc, argv);
}
