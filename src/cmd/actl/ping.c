/*
 * actl ping and actl takeover.
 *
 * Output of ping: lines of text, with tables of the controllers and of the copies of their state if there are
 * several, or one JSON object. The leader answers, or a standby if no controller leads.
 */
#include "cmd/actl/ping.h"

#include "cmd/actl/copies.h"
#include "util/clock.h"
#include "util/mem.h"
#include "util/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#define CONTROLLER(row) ((const Armada__ControllerRow *)(row))

static void heard_text(const void *row, struct buf *out)
{
	if (CONTROLLER(row)->age_ms > 0)
		buf_addf(out, "%s", duration_words(CONTROLLER(row)->age_ms * 1000).text);
}

static json_t *heard_json(const void *row)
{
	int64_t ms = CONTROLLER(row)->age_ms;

	return ms < 0 ? json_null() : json_real((double)ms / 1000);
}

static void lag_text(const void *row, struct buf *out)
{
	if (CONTROLLER(row)->lag_ms)
		buf_addf(out, "%s", duration_words(CONTROLLER(row)->lag_ms * 1000).text);
}

static json_t *lag_json(const void *row)
{
	return json_real((double)CONTROLLER(row)->lag_ms / 1000);
}

/* clang-format off */
static const struct column controller_columns[] = {
	{"name", "CONTROLLER", 0, false, false, CELL_TEXT(Armada__ControllerRow, name), NULL, "Name of the controller"},
	{"address", "ADDRESS", 0, false, false, CELL_TEXT(Armada__ControllerRow, address), NULL, "Its address"},
	{"role", "ROLE", 0, false, false, CELL_TEXT(Armada__ControllerRow, role), NULL, "leader, standby or away"},
	{"epoch", "EPOCH", 0, true, false, CELL_INT(Armada__ControllerRow, epoch), NULL, "The epoch that it knows"},
	{"position", "POSITION", 0, true, false, CELL_INT(Armada__ControllerRow, seq), NULL, "Its last record"},
	{"behind", "BEHIND", 0, true, false, CELL_INT(Armada__ControllerRow, behind), NULL, "Records of the leader that it lacks"},
	{"lag", "LAG", 0, false, false, CELL(lag_text, lag_json), NULL, "Of the controller that answers: how old its state may be"},
	{"heard", "HEARD", 0, false, false, CELL(heard_text, heard_json), NULL, "How long ago it was heard"},
	{"history", "HISTORY", 0, false, true, CELL_TEXT(Armada__ControllerRow, history), NULL, "What its history lacks, and how far it is copied"},
	{"problem", "PROBLEM", 0, false, true, CELL_TEXT(Armada__ControllerRow, problem), NULL, "What it has different"},
};
/* clang-format on */

static const struct listing controllers = LISTING(
	"controllers", "name,role,epoch,position,behind,heard?,history?,problem?", controller_columns);

static void print_weaker(const Armada__PingReply *p)
{
	if (p->nodes_not_limited)
		printf("Limits:   weaker than wanted on %" PRIu32
		       " of the nodes (anode --format name,containment,not_limited)\n",
		       p->nodes_not_limited);
	if (p->nodes_cpus_weaker)
		printf("Cpus:     not given as cpu_containment says on %" PRIu32
		       " of the nodes (anode --format name,cpu_containment)\n",
		       p->nodes_cpus_weaker);
	if (p->problem[0])
		printf("Problem:  %s\n", p->problem);
}

static void print_text(const Armada__PingReply *p, int64_t us)
{
	char since[48];

	format_time(p->started_us, since, sizeof(since));
	printf("Cluster:  %s, epoch %" PRIu64 "\n", p->cluster, p->epoch);
	printf("Release:  %s, running since %s\n", p->release, since);
	printf("Answer:   in %s\n", duration_words(us).text);
	printf("Nodes:    %" PRIu32 " up of %" PRIu32 "\n", p->nodes_up, p->nodes);
	printf("Jobs:     %" PRIu64 " running, %" PRIu64 " pending; %" PRIu64 " in memory\n",
	       p->running, p->waiting, p->jobs);
	printf("Log:      at record %" PRIu64 "\n", p->log_seq);
	if (p->stale)
		printf("Stale:    %" PRIu64 " messages dropped\n", p->stale);
	print_weaker(p);
}

/* The tables, if there is more than one controller. */
static int print_controllers(const struct actl *a, const Armada__ControllersReply *c,
			     struct err *err)
{
	int rc = 0;

	if (c->problem[0])
		printf("Store:    %s\n", c->problem);
	if (c->n_rows > 1 || c->n_copies) {
		putchar('\n');
		rc = listing_print(&controllers, &a->listing, (const void *const *)c->rows,
				   c->n_rows, stdout, err);
	}
	if (rc == 0 && c->n_copies) {
		putchar('\n');
		rc = listing_print(&copies_in_ping, &a->listing, (const void *const *)c->copies,
				   c->n_copies, stdout, err);
	}
	return rc;
}

static void set(json_t *root, const char *name, uint64_t value)
{
	json_object_set_new(root, name, json_integer((json_int_t)value));
}

json_t *ping_json(const Armada__PingReply *p, const Armada__ControllersReply *c)
{
	json_t *root = listing_json_new();

	json_object_set_new(root, "cluster", json_string(p->cluster));
	json_object_set_new(root, "release", json_string(p->release));
	json_object_set_new(root, "problem", json_string(p->problem));
	json_object_set_new(root, "answers", json_string(c->answers));
	json_object_set_new(root, "store_problem", json_string(c->problem));
	set(root, "epoch", p->epoch);
	set(root, "position", p->log_seq);
	set(root, "acknowledged", c->acked);
	set(root, "running", p->running);
	set(root, "pending", p->waiting);
	set(root, "jobs", p->jobs);
	set(root, "nodes_up", p->nodes_up);
	set(root, "nodes", p->nodes);
	json_object_set_new(root, "controllers",
			    listing_json(&controllers, (const void *const *)c->rows, c->n_rows));
	json_object_set_new(root, "copies",
			    listing_json(&copies_in_ping, (const void *const *)c->copies,
					 c->n_copies));
	return root;
}

int actl_ping(struct actl *a, struct err *err)
{
	Armada__PingRequest q = ARMADA__PING_REQUEST__INIT;
	Armada__ControllersRequest of = ARMADA__CONTROLLERS_REQUEST__INIT;
	const Armada__ControllersReply *c;
	const Armada__PingReply *p;
	struct err ignored;
	int64_t us;
	int rc;

	if (a->listing.format || a->listing.noheader)
		return err_set(err, -EINVAL, "--format and --noheader are not for: actl ping");
	connection_open(a->c, &ignored); /* not a part of the time of the answer */
	us = clock_us(CLOCK_MONOTONIC);
	rc = connection_ask(a->c, MSG_PING, &q, MSG_PING_REPLY, a->arena, 0, &p, err);
	us = clock_us(CLOCK_MONOTONIC) - us;
	if (rc == 0)
		rc = connection_ask(a->c, MSG_CONTROLLERS, &of, MSG_CONTROLLERS_REPLY, a->arena, 0,
				    &c, err);
	if (rc < 0)
		return rc;
	if (a->listing.json) {
		listing_json_print(ping_json(p, c), stdout);
		return 0;
	}
	print_text(p, us);
	return print_controllers(a, c, err);
}

int actl_takeover(struct actl *a, struct err *err)
{
	Armada__TakeoverRequest q = ARMADA__TAKEOVER_REQUEST__INIT;

	if (a->count)
		q.name = (char *)(uintptr_t)a->args[0];
	return actl_ask_ok(a, MSG_TAKEOVER, &q, "The lead is given up", err);
}
