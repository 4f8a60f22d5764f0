/*
 * The mails that a job wants: kept with the job and with the row of its end, and refused without a mail
 * program or with an address that a program could take for something else.
 */
#include "fixture.h"
#include "proto/mail.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <string.h>

static uint64_t submit(struct test_world *w, uint32_t types, const char *user, bool array)
{
	Armada__IndexRange range = ARMADA__INDEX_RANGE__INIT, *ranges[] = {&range};
	Armada__TaskGroup group;
	Armada__JobSpec spec;

	range.last = 1;
	spec_init(&spec, &group);
	spec.mail_types = types;
	spec.mail_user = (char *)user;
	if (array) {
		spec.array = ranges;
		spec.n_array = 1;
	}
	return world_submit(w, &spec);
}

/* The row of the end that the last input made. */
static const Armada__JobRow *row(struct test_world *w)
{
	for (size_t i = 0; i < w->out.effect_count; i++) {
		const struct effect *e = &w->out.effects[i];

		if (e->kind == EFFECT_HISTORY && e->row)
			return msg_unpack_own(&armada__job_row__descriptor, e->row->row,
					      e->row->row_len, w->arena);
	}
	return NULL;
}

static void check_refusals(struct test_world *w)
{
	static const char *const bad[] = {"-x",    "a b", "a\nb",      "$(id)@x",
					  "a\x7f", "a;b", "\xc3\xa4@x"};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		ok(!submit(w, MAIL_END, bad[i], false), "address %zu is refused", i);
		has_str(world_error(w), "mail", "with the reason");
	}
	ok(!submit(w, 1 << 9, "alice", false), "an unknown type is refused");
	w->policy.mails = false;
	ok(!submit(w, MAIL_END, "alice", false), "mails need a program");
	has_str(world_error(w),
		"this cluster sends no mail (mail_program in armada.conf is not set)",
		"which the error names");
	ok(submit(w, 0, "", false), "a job without mails does not");
	w->policy.mails = true;
}

static void check_rows(struct test_world *w)
{
	uint64_t job = submit(w, MAIL_END | MAIL_FAIL, "", false);
	const Armada__JobRow *r;

	world_cancel(w, TEST_USER, job);
	r = row(w);
	ok(r && r->mail_types == (MAIL_END | MAIL_FAIL), "the row of the end has the types");
	ok(r && r->mail_user[0], "and the user, who is the one who submitted");
	job = submit(w, MAIL_END, "a@x", true);
	world_cancel(w, TEST_USER, job);
	r = row(w);
	ok(r && !r->mail_types, "the rows of an array have none: the array has one mail");
	job = submit(w, MAIL_END | MAIL_ARRAY_TASKS, "a@x", true);
	world_cancel(w, TEST_USER, job);
	r = row(w);
	is_str(r ? r->mail_user : "", "a@x", "unless each element has one");
}

static void check_words(void)
{
	struct err err;
	uint32_t types = 0;
	char text[64];

	is_int(mail_types_parse("end,Fail", &types, &err), 0, "words in any case");
	is_str(mail_types_text(types, text, sizeof(text)), "END,FAIL", "and back");
	is_int(mail_types_parse("ALL", &types, &err), 0, "all");
	is_str(mail_types_text(types, text, sizeof(text)), "BEGIN,END,FAIL,REQUEUE,TIME_LIMIT",
	       "are these");
	is_int(mail_types_parse("NONE", &types, &err), 0, "none");
	is_int(types, 0, "is none");
	ok(mail_types_parse("TIME_LIMIT_80", &types, &err) < 0,
	   "there are no mails of 80 %% of the time");
	has_str(err.text, "there are no mails of type TIME_LIMIT_80; the types are BEGIN, END",
		"the error says so");
	ok(mail_types_parse("END,", &types, &err) < 0, "an empty word is refused");
}

int main(void)
{
	struct test_world w;

	world_init(&w);
	check_words();
	check_refusals(&w);
	check_rows(&w);
	ok(submit(&w, MAIL_BEGIN | MAIL_END, "a@x", false), "a job with mails is in the snapshot");
	world_done(&w);
	return done();
}
