/*
 * Permissions as text: the rights of a user or a group in a queue.
 *
 *	user:ann=submit,cancel		group:hpc=submit,watch		all=watch
 *
 * One string has one subject. The verbs are submit, cancel, reprioritise (or reprioritize), preempt and
 * watch. The numbers of verbs and subjects are those of the schema (QueueVerb, SubjectKind). Only the syntax
 * is checked here, not whether the user or group exists.
 */
#pragma once

#include "util/err.h"

#include <stddef.h>
#include <stdint.h>

enum permit_kind {
	PERMIT_USER = 1,
	PERMIT_GROUP = 2,
	PERMIT_ALL = 3, /* all users; without a name */
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
	PERMIT_EVERY = 0x3e, /* the bits of all verbs */
	PERMIT_NAME = 254,
	PERMIT_TEXT = 320, /* size of any permission as text */
};

struct permit {
	enum permit_kind kind;
	char name[PERMIT_NAME];
	unsigned verbs; /* bits 1u << enum permit_verb; never none */
};

/* The name of a verb, as "submit"; NULL: no such verb. */
const char *permit_verb_name(int verb);

int permit_parse(const char *text, struct permit *ret_permit, struct err *err);
/* The text of a permission, with the verbs in their order. */
void permit_print(const struct permit *p, char ret_text[PERMIT_TEXT]);
/* Its subject alone: "user:ann". */
void permit_print_subject(const struct permit *p, char ret_text[PERMIT_TEXT]);
/* The verbs of these bits, "submit,watch"; "" for none. */
void permit_print_verbs(unsigned verbs, char ret_text[PERMIT_TEXT]);

/* Check a list: each entry is a permission, and no two have the same subject. */
int permits_check(const struct permit *list, size_t count, struct err *err);
int permits_check_texts(const char *const *texts, size_t count, struct err *err);
