/*
 * ashare --rounds: the room that the last rounds left.
 *
 * One request fetches the rounds that the controller remembers, the newest first. The output is a table, or
 * JSON. Its last line is the share of the listed time and room that was recovered.
 */
#include "cmd/ashare/rooms.h"

#include "client/connection.h"
#include "util/mem.h"
#include "util/units.h"

#include <math.h>
#include <stdio.h>

#define ROOM(row) ((const Armada__RoundRoom *)(row))

/* The part of the reserved room that others used; NAN: none was reserved that others could use. */
static double part(double recovered, double idle)
{
	return recovered + idle > 0 ? recovered / (recovered + idle) : NAN;
}

static double part_of(const void *row)
{
	return part(ROOM(row)->recovered, ROOM(row)->idle);
}

static void part_text(const void *row, struct buf *out)
{
	if (isnan(part_of(row)))
		buf_addstr(out, "-");
	else
		column_percent(part_of(row), out);
}

static json_t *part_json(const void *row)
{
	return column_real_json(part_of(row));
}

static void lasts_text(const void *row, struct buf *out)
{
	buf_addstr(out, duration_words((int64_t)(ROOM(row)->lasts_s * 1e6)).text);
}

static json_t *lasts_json(const void *row)
{
	return column_real_json(ROOM(row)->lasts_s);
}

/* clang-format off */
#define ROUND Armada__RoundRoom
static const struct column columns[] = {
	{"round", "ROUND", 0, true, false, CELL_INT(ROUND, number), NULL, "Number of the round"},
	{"time", "TIME", 't', false, false, CELL_QUANTITY(ROUND, start_us, format_time), NULL, "When it began; microseconds since 1970 in JSON"},
	{"lasts", "LASTS", 0, true, false, CELL(lasts_text, lasts_json), NULL, "Time until the next round, or until now; seconds in JSON"},
	{"started", "STARTED", 's', true, false, CELL_INT(ROUND, started), NULL, "Number of elements that the round started"},
	{"preempted", "PREEMPTED", 'e', true, false, CELL_INT(ROUND, preempted), NULL, "Number of elements that the round preempted"},
	{"used", "USED", 0, true, false, CELL_PERCENT(ROUND, used), NULL, "Cost of all queues after the round; a fraction in JSON, like the next columns"},
	{"reserved", "RESERVED", 0, true, false, CELL_PERCENT(ROUND, need), NULL, "What the job that holds the reservation needs on its nodes"},
	{"idle", "IDLE", 0, true, false, CELL_PERCENT(ROUND, idle), NULL, "What of it is idle"},
	{"recovered", "RECOVERED", 0, true, false, CELL_PERCENT(ROUND, recovered), NULL, "What of it is used by jobs that do not delay the start"},
	{"part", "PART", 0, true, false, CELL(part_text, part_json), NULL, "Recovered, as a part of what is idle or recovered; null in JSON if there is none"},
};
/* clang-format on */

const struct listing rooms_listing = LISTING(
	"rounds", "round,time,lasts,started,preempted,used,reserved,idle,recovered,part", columns);

/* The part of all listed rounds, by the time that each of them lasted. */
static double part_of_all(const Armada__RoundReply *reply)
{
	double idle = 0, recovered = 0;

	for (size_t i = 0; i < reply->n_rooms; i++) {
		idle += reply->rooms[i]->idle * reply->rooms[i]->lasts_s;
		recovered += reply->rooms[i]->recovered * reply->rooms[i]->lasts_s;
	}
	return part(recovered, idle);
}

static void print_json(const Armada__RoundReply *reply, const void *const *rows)
{
	json_t *root = listing_json_new();

	json_object_set_new(root, "time", json_integer(reply->time_us));
	json_object_set_new(root, "rounds", listing_json(&rooms_listing, rows, reply->n_rooms));
	json_object_set_new(root, "recovered", column_real_json(part_of_all(reply)));
	listing_json_print(root, stdout);
}

static int print_text(const struct ashare *r, const Armada__RoundReply *reply,
		      const void *const *rows, struct err *err)
{
	double all = part_of_all(reply);
	int rc = listing_print(&rooms_listing, &r->listing, rows, reply->n_rooms, stdout, err);

	if (rc == 0 && !r->listing.format && !r->listing.noheader && !isnan(all))
		printf("\nOf the reserved room that others could use in this time, %.1f%% was used.\n",
		       100 * all);
	return rc;
}

int ashare_rooms(const struct ashare *r, struct err *err)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	Armada__RoundRequest q = ARMADA__ROUND_REQUEST__INIT;
	const Armada__RoundReply *reply;
	struct connection *c = NULL;
	const void *const *rows;
	int rc = connection_new(&c, NULL, err);

	q.rooms = true;
	if (rc == 0)
		rc = connection_ask(c, MSG_ROUND, &q, MSG_ROUND_REPLY, arena, 0, &reply, err);
	connection_free(c);
	if (rc < 0)
		return rc;
	rows = (const void *const *)reply->rooms;
	if (!r->listing.json)
		return print_text(r, reply, rows, err);
	print_json(reply, rows);
	return 0;
}
