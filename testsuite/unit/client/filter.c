/*
 * Filters of jobs, made from ids, states, names and node lists, as the commands parse them; and
 * refused texts with their errors.
 */
#include "client/filter.h"
#include "client/jobstate.h"
#include "tap/tap.h"
#include "util/buf.h"
#include "util/mem.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* Ids and their meaning: "first-last/elements". */
static const struct {
	const char *text, *means; /* NULL: refused */
} ids[] = {
	{"12", "12-12;"},
	{"12-15", "12-15;"},
	{"12,14", "12-12;14-14;"},
	{"12_3", "12-12/3-3:1;"},
	{"12_[1-5,7]", "12-12/1-5:1;12-12/7-7:1;"},
	{"12_1-5", "12-12/1-5:1;"},
	{"12_[0-8:4],13", "12-12/0-8:4;13-13;"},
	{"18446744073709551615", "18446744073709551615-18446744073709551615;"},
	{"18446744073709551616", NULL},
	{"0", NULL},
	{"x", NULL},
	{"-5", NULL},
	{"12-", NULL},
	{"15-12", NULL},
	{"12_", NULL},
	{"12_x", NULL},
	{"12_[1-5", NULL},
	{"12_[]", NULL},
	{"12_[1%2]", NULL},
	{"12 13", NULL},
};

static void check_ids(size_t i)
{
	CLEANUP_BUF struct buf means = {0};
	struct err err = {0};
	struct filter f;
	int rc;

	filter_init(&f);
	rc = filter_add(&f, FILTER_IDS, ids[i].text, &err);
	is_int(rc, ids[i].means ? 0 : -EINVAL, "id %s", ids[i].text);
	buf_reserve(&means, 1);
	for (size_t j = 0; rc == 0 && j < f.message.n_ids; j++) {
		const Armada__JobRange *r = f.message.ids[j];

		buf_addf(&means, "%" PRIu64 "-%" PRIu64, r->first, r->last);
		if (r->has_elements)
			buf_addf(&means, "/%u-%u:%u", r->elements->first, r->elements->last,
				 r->elements->step);
		buf_addc(&means, ';');
	}
	if (ids[i].means)
		is_str((char *)means.data, ids[i].means, "id %s means", ids[i].text);
	else
		ok(err.text[0], "id %s: %s", ids[i].text, err.text);
	filter_done(&f);
}

static void check_states(void)
{
	struct err err = {0};
	struct filter f;

	filter_init(&f);
	is_int(filter_add(&f, FILTER_STATES, "pd,RUNNING", &err), 0,
	       "states are accepted by code and by name");
	is_int(f.message.n_states, 2, "the filter has two states");
	ok(!f.ended, "it has no ended states");
	is_int(filter_add(&f, FILTER_STATES, "FAILED", &err), 0, "another state is accepted");
	ok(f.ended && !f.only_ended, "the filter has ended states");
	is_int(filter_add(&f, FILTER_STATES, "all", &err), 0, "the state all is accepted");
	is_int(f.message.n_states, 0, "it removes the filter");
	ok(f.ended, "it includes ended jobs");
	is_int(filter_add(&f, FILTER_STATES, "RUNING", &err), -EINVAL,
	       "a misspelt state is refused");
	has_str(err.text, "did you mean RUNNING?", "the error suggests a state");
	filter_done(&f);
}

static void check_lists(void)
{
	struct err err = {0};
	struct filter f;

	filter_init(&f);
	ok(filter_is_empty(&f), "a new filter selects everything");
	is_int(filter_add(&f, FILTER_USERS, "ann,bob", &err), 0, "users are accepted");
	is_int(filter_add(&f, FILTER_USERS, "eve", &err), 0, "more users are accepted");
	is_int(f.message.n_users, 3, "the filter has three users");
	is_str(f.message.users[2], "eve", "the last user is eve");
	is_int(filter_add(&f, FILTER_NODES, "cn[1-3]", &err), 0, "nodes are accepted");
	is_int(f.message.n_nodes, 3, "the list of nodes is expanded");
	is_int(filter_add(&f, FILTER_NAMES, ",", &err), -EINVAL, "an empty list is refused");
	ok(!filter_is_empty(&f), "the filter is not empty");
	is_int(filter_add(&f, FILTER_ME, NULL, &err), 0, "the current user is accepted");
	filter_done(&f);
}

static void check_one(const char *text, int want, uint64_t job, bool has_element, uint32_t element)
{
	uint64_t got_job = 0;
	bool got_has = false;
	uint32_t got_element = 0;
	struct err err = {0};

	is_int(job_id_parse(text, &got_job, &got_has, &got_element, &err), want, "job %s", text);
	ok(want || (got_job == job && got_has == has_element && got_element == element),
	   "job %s is parsed", text);
}

static void check_state_table(void)
{
	size_t count;
	const struct job_state *rows = job_states(&count);

	for (size_t i = 0; i < count; i++) {
		ok(job_state_named(rows[i].name) == &rows[i] &&
			   job_state_named(rows[i].code) == &rows[i],
		   "%s and %s are the same state", rows[i].name, rows[i].code);
		ok(job_state(rows[i].state) == &rows[i], "the state has one number");
	}
	is_str(job_state(999)->name, "?", "an unknown state has a placeholder");
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		check_ids(i);
	check_states();
	check_lists();
	check_one("812", 0, 812, false, 0);
	check_one("812_7", 0, 812, true, 7);
	check_one("812_", -EINVAL, 0, false, 0);
	check_one("812_-1", -EINVAL, 0, false, 0);
	check_one("812_4294967296", -EINVAL, 0, false, 0);
	check_one("812.0", -EINVAL, 0, false, 0);
	check_one("", -EINVAL, 0, false, 0);
	check_state_table();
	return done();
}
