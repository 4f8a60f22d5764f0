/*
 * Parses, prints and checks permissions (permit.h). Input: texts such as "user:ann=submit,cancel".
 * Output: struct permit, or an error with the accepted form. A list with two permissions for the
 * same subject is an error. Whether a user or group exists is not checked here.
 */
#include "conf/permit.h"

#include "conf/syntax_checks.h"
#include "util/mem.h"
#include "util/nearest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The accepted forms, for error texts. */
#define FORM "\"user:NAME=VERBS\", \"group:NAME=VERBS\" or \"all=VERBS\""

static const char *const verb_names[PERMIT_VERBS] = {
	[PERMIT_SUBMIT] = "submit",
	[PERMIT_CANCEL] = "cancel",
	[PERMIT_REPRIORITISE] = "reprioritise",
	[PERMIT_PREEMPT] = "preempt",
	[PERMIT_WATCH] = "watch",
};

static const char *const kind_names[] = {
	[PERMIT_USER] = "user",
	[PERMIT_GROUP] = "group",
	[PERMIT_ALL] = "all",
};

const char *permit_verb_name(int verb)
{
	return verb > 0 && verb < PERMIT_VERBS ? verb_names[verb] : NULL;
}

static int no_verb(const char *word, struct err *err)
{
	const char *near = nearest_word(word, verb_names + 1, PERMIT_VERBS - 1);

	return err_set(
		err, -EINVAL,
		"'%.64s' is not a verb%s%s%s: expected submit, cancel, reprioritise, preempt or "
		"watch",
		word, near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
}

static int verb_of(const char *word, struct err *err)
{
	if (strcmp(word, "reprioritize") == 0)
		return PERMIT_REPRIORITISE;
	for (int v = 1; v < PERMIT_VERBS; v++)
		if (strcmp(word, verb_names[v]) == 0)
			return v;
	return no_verb(word, err);
}

static int parse_verbs(const char *text, unsigned *ret_verbs, struct err *err)
{
	unsigned verbs = 0;

	for (const char *at = text;;) {
		size_t len = strcspn(at, ",");
		char word[PERMIT_NAME];
		int verb;

		if (!len)
			return err_set(err, -EINVAL,
				       "'%.64s' has an empty verb: expected for example "
				       "\"submit,cancel\"",
				       text);
		snprintf(word, sizeof(word), "%.*s", (int)(len < 200 ? len : 200), at);
		verb = verb_of(word, err);
		if (verb < 0)
			return verb;
		if (verbs & 1u << verb)
			return err_set(err, -EINVAL, "%s is given twice", verb_names[verb]);
		verbs |= 1u << verb;
		at += len;
		if (!*at)
			break;
		at++;
	}
	*ret_verbs = verbs;
	return 0;
}

static int parse_subject(const char *text, size_t len, struct permit *p, struct err *err)
{
	for (int k = PERMIT_USER; k <= PERMIT_GROUP; k++) {
		size_t prefix = strlen(kind_names[k]);

		if (len <= prefix || strncmp(text, kind_names[k], prefix) != 0 ||
		    text[prefix] != ':')
			continue;
		if (len - prefix - 1 >= PERMIT_NAME)
			return err_set(err, -EINVAL,
				       "the name of a %s is longer than %d characters",
				       kind_names[k], PERMIT_NAME - 1);
		p->kind = (enum permit_kind)k;
		memcpy(p->name, text + prefix + 1, len - prefix - 1);
		return check_user(p->name, err);
	}
	if (len == 3 && strncmp(text, kind_names[PERMIT_ALL], len) == 0) {
		p->kind = PERMIT_ALL;
		return 0;
	}
	return err_set(err, -EINVAL,
		       "'%.*s' is not a subject: expected user:NAME, group:NAME or all",
		       (int)(len < 64 ? len : 64), text);
}

int permit_parse(const char *text, struct permit *ret_permit, struct err *err)
{
	size_t subject = strcspn(text, "=");
	struct permit p = {.verbs = 0};

	if (!text[subject])
		return err_set(err, -EINVAL, "'%.64s' is not a permission: expected " FORM, text);
	if (parse_subject(text, subject, &p, err) < 0)
		return -EINVAL;
	if (!text[subject + 1])
		return err_set(err, -EINVAL,
			       "'%.64s' has no verb: expected submit, cancel, reprioritise, "
			       "preempt or watch after the =",
			       text);
	if (parse_verbs(text + subject + 1, &p.verbs, err) < 0)
		return -EINVAL;
	*ret_permit = p;
	return 0;
}

void permit_print_subject(const struct permit *p, char ret_text[PERMIT_TEXT])
{
	snprintf(ret_text, PERMIT_TEXT, "%s%s%s", kind_names[p->kind],
		 p->kind == PERMIT_ALL ? "" : ":", p->name);
}

void permit_print_verbs(unsigned verbs, char ret_text[PERMIT_TEXT])
{
	size_t len = 0;

	ret_text[0] = '\0';
	for (int v = 1; v < PERMIT_VERBS; v++)
		if (verbs & 1u << v)
			len += (size_t)snprintf(ret_text + len, PERMIT_TEXT - len, "%s%s",
						len ? "," : "", verb_names[v]);
}

void permit_print(const struct permit *p, char ret_text[PERMIT_TEXT])
{
	char verbs[PERMIT_TEXT];
	size_t len;

	permit_print_subject(p, ret_text);
	permit_print_verbs(p->verbs, verbs);
	len = strlen(ret_text);
	snprintf(ret_text + len, PERMIT_TEXT - len, "=%s", verbs);
}

int permits_check(const struct permit *list, size_t count, struct err *err)
{
	for (size_t i = 1; i < count; i++)
		for (size_t k = 0; k < i; k++) {
			char one[PERMIT_TEXT], other[PERMIT_TEXT];

			if (list[i].kind != list[k].kind || strcmp(list[i].name, list[k].name) != 0)
				continue;
			permit_print(&list[k], one);
			permit_print(&list[i], other);
			return err_set(err, -EINVAL,
				       "'%.200s' and '%.200s' have the same subject: expected one "
				       "entry with all its verbs",
				       one, other);
		}
	return 0;
}

int permits_check_texts(const char *const *texts, size_t count, struct err *err)
{
	struct permit *list = xcalloc(count + 1, sizeof(*list));
	int r = 0;

	for (size_t i = 0; i < count && r == 0; i++)
		r = permit_parse(texts[i], &list[i], err);
	if (r == 0)
		r = permits_check(list, count, err);
	free(list);
	return r;
}
