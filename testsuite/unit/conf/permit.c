/*
 * Permissions, such as "user:ann=submit", as text and as messages: valid and refused ones, and
 * lists of them.
 */
#include "conf/permit_message.h"
#include "tap/tap.h"

#include <stdlib.h>
#include <string.h>

static void taken(const char *text, enum permit_kind kind, const char *name, const char *printed)
{
	char out[PERMIT_TEXT];
	struct permit p;
	struct err err = {""};

	if (!ok(permit_parse(text, &p, &err) == 0, "%s is accepted", text)) {
		diag("%s", err.text);
		return;
	}
	is_int(p.kind, kind, "%s: the kind of the subject", text);
	is_str(p.name, name, "%s: the name of the subject", text);
	permit_print(&p, out);
	is_str(out, printed, "%s: the printed text", text);
}

static void refused(const char *text, const char *why)
{
	struct permit p = {.verbs = 99};
	struct err err = {""};

	ok(permit_parse(text, &p, &err) < 0, "'%s' is refused", text);
	has_str(err.text, why, "'%s': the error", text);
	is_int(p.verbs, 99, "'%s': a refused text leaves the output unchanged", text);
}

static void test_lists(void)
{
	const char *const good[] = {"user:ann=submit", "group:ann=submit", "all=watch"};
	const char *const two[] = {"user:ann=submit", "all=watch", "user:ann=cancel,watch"};
	const char *const alls[] = {"all=submit", "all=submit"};
	const char *const bad[] = {"all=submit", "user:ann=drive"};
	struct err err;

	ok(permits_check_texts(good, 3, &err) == 0,
	   "a user and a group of the same name are two subjects");
	ok(permits_check_texts(good, 0, &err) == 0, "an empty list is accepted");
	ok(permits_check_texts(two, 3, &err) < 0, "two entries for one user are refused");
	has_str(err.text, "'user:ann=submit' and 'user:ann=cancel,watch'",
		"the error has both entries");
	ok(permits_check_texts(alls, 2, &err) < 0, "two entries for all are refused");
	ok(permits_check_texts(bad, 2, &err) < 0, "a list with an invalid entry is refused");
	has_str(err.text, "'drive' is not a verb", "the error has the invalid verb");
}

static Armada__Permission *message(struct arena *a, const char *text)
{
	struct permit p;

	if (permit_parse(text, &p, NULL) < 0)
		bail("%s", text);
	return permit_message(&p, a);
}

static void message_refused(const Armada__Permission *m, const char *why)
{
	struct permit p;
	struct err err = {""};

	ok(permit_of_message(m, &p, &err) < 0, "an invalid message is refused");
	has_str(err.text, why, "the error: %s", why);
}

static void test_messages(void)
{
	CLEANUP_ARENA struct arena *a = arena_new(0);
	Armada__Permission *list[2] = {message(a, "group:hpc=submit,reprioritise,watch"),
				       message(a, "all=preempt")};
	struct permit *back;
	struct err err;
	char text[PERMIT_TEXT];

	ok(permits_of_messages(list, 2, &back, &err) == 0,
	   "two messages are converted to permissions");
	permit_print(&back[0], text);
	is_str(text, "group:hpc=submit,reprioritise,watch", "the first permission is unchanged");
	permit_print(&back[1], text);
	is_str(text, "all=preempt", "the second permission is unchanged");
	free(back);
	ok(permits_of_messages(NULL, 0, &back, &err) == 0 && !back,
	   "an empty list of messages is an empty list of permissions");
	list[1] = list[0];
	ok(permits_of_messages(list, 2, &back, &err) < 0,
	   "two messages for the same subject are refused");

	list[0]->verbs[1] = (Armada__QueueVerb)9;
	message_refused(list[0], "group:hpc: verb 9 is not known");
	list[0]->verbs[1] = list[0]->verbs[0];
	message_refused(list[0], "group:hpc: submit is given twice");
	list[0]->n_verbs = 0;
	message_refused(list[0], "group:hpc: no verb");
	list[0]->name = (char *)"";
	message_refused(list[0], "'' is not the name of a subject");
	list[0]->name = (char *)"a=b";
	message_refused(list[0], "'a=b' is not the name of a subject");
	list[0]->kind = ARMADA__SUBJECT_KIND__SUBJECT_UNSET;
	message_refused(list[0], "expected a user, a group or all");
	list[0]->kind = ARMADA__SUBJECT_KIND__SUBJECT_ALL;
	message_refused(list[0], "'a=b' is not the name");
}

int main(void)
{
	char longest[PERMIT_NAME + 20];

	taken("user:ann=submit,cancel", PERMIT_USER, "ann", "user:ann=submit,cancel");
	taken("group:hpc=watch,submit", PERMIT_GROUP, "hpc", "group:hpc=submit,watch");
	taken("all=watch", PERMIT_ALL, "", "all=watch");
	taken("user:all=reprioritize,preempt", PERMIT_USER, "all", "user:all=reprioritise,preempt");
	taken("user:DOM\\ann@x.y=watch", PERMIT_USER, "DOM\\ann@x.y", "user:DOM\\ann@x.y=watch");

	refused("", "expected \"user:NAME=VERBS\"");
	refused("user:ann", "is not a permission: expected");
	refused("ann=submit", "'ann' is not a subject: expected user:NAME, group:NAME or all");
	refused("all:x=submit", "is not a subject");
	refused("user:=submit", "is not the name of a user or group");
	refused("user:a b=submit", "is not the name of a user or group");
	refused("all=", "has no verb");
	refused("all=submit,", "has an empty verb");
	refused("all=,submit", "has an empty verb");
	refused("all=cancle", "(did you mean cancel?): expected submit, cancel, reprioritise");
	refused("all=drive", "'drive' is not a verb: expected submit");
	refused("all=Submit", "did you mean submit");
	refused("all=watch,submit,watch", "watch is given twice");
	refused("all=reprioritise,reprioritize", "reprioritise is given twice");
	memset(longest, 'a', sizeof(longest));
	memcpy(longest, "user:", 5);
	memcpy(longest + sizeof(longest) - 7, "=watch", 7);
	refused(longest, "is longer than 253 characters");
	test_lists();
	test_messages();
	return done();
}
