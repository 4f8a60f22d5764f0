/*
 * Permissions as people write them: who may do what in a queue.
 *
 *	user:ann=submit,cancel		group:hpc=submit,watch		all=watch
 *
 * One string a subject. The verbs are submit, cancel, reprioritise (reprioritize is read too), preempt
 * and watch; their numbers and those of the subjects are the schema's (QueueVerb, SubjectKind). Only
 * the form is checked here: whether there is such a user or group the directory knows.
 */
#pragma once

#include "util/err.h"

#include <stddef.h>
#include <stdint.h>

enum permit_kind {
	PERMIT_USER = 1,
	PERMIT_GROUP = 2,
	PERMIT_ALL = 3, /* everybody; without a name */
};

enum permit_verb {
	PERMIT_SUBMIT = 1,
	PERMIT_CANCEL = 2,
	PERMIT_REPRIORITISE = 3,
	PERMIT_PREEMPT = 4,
	PERMIT_WATCH = 5,
	PERMIT_VERBS, /* one more than the last */
};

enum {
	PERMIT_EVERY = 0x3e, /* all of them as bits */
	PERMIT_NAME = 254,
	PERMIT_TEXT = 320, /* room for any as text */
};

struct permit {
	enum permit_kind kind;
	char name[PERMIT_NAME];
	unsigned verbs; /* bits 1u << enum permit_verb; never none */
};

/* "submit" and so on; NULL: there is no such verb. */
const char *permit_verb_name(int verb);

int permit_parse(const char *text, struct permit *ret_permit, struct err *err);
/* As it would be written, verbs in their order. */
void permit_print(const struct permit *p, char ret_text[PERMIT_TEXT]);
/* Its subject alone: "user:ann". */
void permit_print_subject(const struct permit *p, char ret_text[PERMIT_TEXT]);
/* The verbs of these bits, "submit,watch"; "" for none. */
void permit_print_verbs(unsigned verbs, char ret_text[PERMIT_TEXT]);

/* All of a list: each is one, and no two are of one subject. */
int permits_check(const struct permit *list, size_t count, struct err *err);
int permits_check_texts(const char *const *texts, size_t count, struct err *err);
