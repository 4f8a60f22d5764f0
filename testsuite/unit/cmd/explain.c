/*
 * The output of aexplain for one reply: the printed text, whose sections depend on the reply,
 * and JSON, which must have every field of the message.
 */
#include "cmd/explain_json.h"
#include "cmd/explain_print.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <stdlib.h>
#include <string.h>

static Armada__JobRow row;
static Armada__Resource want_cpu, want_gpu, have_cpu;
static Armada__Resource *wanted[] = {&want_cpu, &want_gpu}, *has[] = {&have_cpu};
static Armada__QueueShare share;
static Armada__Exclusion busy, down, *excluded[] = {&busy, &down};
static Armada__Change change;
static Armada__ExplainReply reply;

static void fill(void)
{
	armada__job_row__init(&row);
	row.job = 812;
	row.state = ARMADA__JOB_STATE__JOB_PENDING;
	row.user = (char *)"ann";
	row.queue = (char *)"physics";
	armada__resource__init(&want_cpu);
	armada__resource__init(&want_gpu);
	armada__resource__init(&have_cpu);
	want_cpu.name = have_cpu.name = (char *)"cpu";
	want_gpu.name = (char *)"gpu";
	want_cpu.amount = 80500;
	have_cpu.amount = 32000;
	armada__queue_share__init(&share);
	share.queue = (char *)"physics";
	share.weight = 0.5;
	share.fair = 1.0 / 3;
	share.demand = wanted;
	share.n_demand = 2;
	share.allocated = has;
	share.n_allocated = 1;
	armada__exclusion__init(&busy);
	armada__exclusion__init(&down);
	busy.nodes = 7;
	busy.text = (char *)"with too few free resources: cpu";
	down.nodes = 12;
	down.text = (char *)"down, drained or silent";
	armada__change__init(&change);
	change.text = (char *)"4 cpu instead of 9";
	change.option = (char *)"--cpus=4";
	armada__explain_reply__init(&reply);
	reply.job = 812;
	reply.row = &row;
	reply.why = 2;
	reply.word = (char *)"Resources";
	reply.meaning = (char *)"no room";
	reply.nodes = 19;
	reply.excluded = excluded;
	reply.n_excluded = 2;
	reply.looked_at = true;
}

/* The printed text; valid until the next call. */
static const char *page(void)
{
	static char *text;
	size_t size;
	FILE *out;

	free(text);
	out = open_memstream(&text, &size);
	explain_print(&reply, 1000000, out);
	fclose(out);
	return text;
}

static void check_page(void)
{
	has_str(page(), "Job 812 of ann in queue physics, PENDING", "the page names the job");
	has_str(page(), "Resources: no room.\n", "the page has the reason");
	has_str(page(), "      19  in total\n       7  with too few",
		"the numbers are in a column");
	ok(!strstr(page(), "Queue physics"), "without a share there is no paragraph about it");
	reply.share = &share;
	has_str(page(), "Queue physics\n", "the share is shown");
	has_str(page(), "33.3%", "the share is in percent");
	has_str(page(), "  cpu                  32         80.5\n",
		"the use and demand of a resource are shown");
	ok(!strstr(page(), "gpu"), "a resource without use and demand is not shown");
	reply.place = reply.of = 1;
	has_str(page(), "  position 1 of the 1 pending job of its queue: ",
		"the position of a single job is in the singular");
	reply.place = reply.of = 0;
	reply.tried = 5;
	has_str(page(), "None of the 5 single changes that were tried.\n",
		"the absence of a change is reported");
	reply.cut = true;
	has_str(page(), "; there was no time to try them all",
		"an early end of the search is reported");
	reply.change = &change;
	has_str(page(),
		"  4 cpu instead of 9\n  actl update 812 --cpus=4\n  asubmit option: --cpus=4\n",
		"the change is shown");
	reply.looked_at = false;
	reply.word = (char *)"ArrayLimit";
	ok(!strstr(page(), "would end before it tries"), "no round tries a job that has no turn");
	reply.word = (char *)"Priority";
	has_str(page(), "would end before it tries",
		"a round that does not reach the job is reported");
	reply.word = (char *)"Resources";
	reply.note = (char *)"it runs";
	has_str(page(), "It is not pending: it runs.\n",
		"the note of a job that does not wait is shown");
	ok(!strstr(page(), "Resources"), "a job that does not wait has no reason");
	reply.note = (char *)"";
}

static void check_holder(void)
{
	Armada__RoomHolder h = ARMADA__ROOM_HOLDER__INIT, *holders[] = {&h};

	h.node = (char *)"n1";
	h.user = (char *)"ann";
	h.job = 7;
	reply.holders = holders;
	reply.n_holders = reply.holder_count = 1;
	has_str(page(), "  n1: job 7 of ann, which has not started yet\n",
		"the time limit of a job that has not started is not denied");
	h.start_us = 1000000;
	has_str(page(), ", without a time limit\n", "a running job without a time limit is shown");
	reply.holders = NULL;
	reply.n_holders = reply.holder_count = 0;
}

static void check_deadline(void)
{
	row.deadline_us = 20000000;
	row.time_limit_s = 4;
	reply.expected_us = 16000000;
	ok(!strstr(page(), "too late for its deadline"), "a start in time is not called late");
	reply.expected_us = 16000001;
	has_str(page(),
		"\n  That is too late for its deadline: it starts only if jobs end earlier.\n",
		"an expected start after the deadline is called late");
	row.deadline_us = 0;
	ok(!strstr(page(), "too late for its deadline"), "without a deadline no start is late");
	reply.expected_us = 0;
	row.time_limit_s = 0;
}

static void check_throttle(void)
{
	reply.change = NULL;
	reply.tried = 0;
	reply.cut = false;
	reply.word = (char *)"ArrayLimit";
	reply.fitting = 0;
	has_str(page(), "  No change of the job alone would start it.\n",
		"the limit of an array is not the only obstacle while no node has room");
	reply.fitting = 4;
	has_str(page(),
		"What would start it now\n  actl update 812 --array-throttle=0  (0: no limit)\n",
		"the command that removes the limit of an array is shown");
	reply.word = (char *)"Resources";
	reply.change = &change;
}

/* Checks that JSON has every field of the message, by its name or its JSON name. */
static void check_json(void)
{
	static const char *const renamed[][2] = {{"why", "why_number"},
						 {"word", "why"},
						 {"text", "reason"},
						 {"expected_us", "expected"}};
	const ProtobufCMessageDescriptor *d = &armada__explain_reply__descriptor;
	json_t *o = explain_json(&reply, 1000000);

	for (unsigned i = 0; i < d->n_fields; i++) {
		const char *name = d->fields[i].name;

		for (size_t k = 0; k < ARRAY_SIZE(renamed); k++)
			if (!strcmp(name, renamed[k][0])) {
				name = renamed[k][1];
				break;
			}
		ok(json_object_get(o, name) != NULL, "JSON has %s", name);
	}
	is_int(json_integer_value(json_object_get(json_object_get(o, "row"), "job")), 812,
	       "the row has its columns");
	is_int(json_array_size(json_object_get(o, "excluded")), 2,
	       "every excluded group is listed");
	json_decref(o);
	share.cost = 0.0 / 0.0;
	reply.change = NULL;
	o = explain_json(&reply, 1000000);
	ok(json_is_null(json_object_get(json_object_get(o, "share"), "cost")),
	   "an absent number is null");
	ok(json_is_null(json_object_get(o, "change")), "an absent change is null");
	json_decref(o);
}

int main(void)
{
	fill();
	check_page();
	check_holder();
	check_throttle();
	check_deadline();
	check_json();
	return done();
}
