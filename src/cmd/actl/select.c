#include "cmd/actl/select.h"

#include "cmd/actl/changes.h"
#include "util/mem.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

/* Words that select jobs, beside ids. */
static const struct {
	const char *key;
	enum filter_by by;
} keys[] = {
	{"user=", FILTER_USERS},
	{"queue=", FILTER_QUEUES},
	{"job-set=", FILTER_JOB_SETS},
	{"name=", FILTER_NAMES},
	{"state=", FILTER_STATES},
	{"node=", FILTER_NODES},
	{"class=", FILTER_CLASSES},
	{"job=", FILTER_IDS},
	{"label=", FILTER_LABELS},
	{"account=", FILTER_ACCOUNTS},
	{"jobset=", FILTER_JOB_SETS},
	{"partition=", FILTER_QUEUES},
	{"priority-class=", FILTER_CLASSES},
};

/* Options of actl update; users sometimes write them like such words. */
static const struct opt_table *const changes[] = {&changes_options, NULL};

static const char *key_of(struct filter *f, const char *word)
{
	size_t n = strcspn(word, "=");

	return word[n] ? arena_printf(f->arena, "%.*s", (int)n, word) : "";
}

static int add_word(struct filter *f, const char *word, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		size_t n = strlen(keys[i].key);

		if (strncmp(word, keys[i].key, n) == 0)
			return word[n] ? filter_add(f, keys[i].by, word + n, err)
				       : err_set(err, -EINVAL, "%s needs a value", keys[i].key);
	}
	if (strncasecmp(word, "nodename=", 9) == 0)
		return err_set(err, -EINVAL,
			       "nodes are changed by anode: anode drain %.60s REASON, anode resume "
			       "%.60s",
			       word + 9, word + 9);
	if (opt_find(changes, key_of(f, word)))
		return err_set(err, -EINVAL,
			       "'%.60s': such words select jobs; a new value is an option: "
			       "--%.60s",
			       word, word);
	if (strchr(word, '='))
		return err_set(err, -EINVAL,
			       "'%.60s': jobs are selected by id, or by user=, queue=, job-set=, "
			       "account=, label=, name=, class=, state= or node=",
			       word);
	return filter_add(f, FILTER_IDS, word, err);
}

int actl_select(struct filter *f, const char *const *words, size_t count, struct err *err)
{
	bool named = count > 1 && (!strcmp(words[0], "job") || !strcmp(words[0], "jobs"));
	int rc = 0;

	for (size_t i = named; rc == 0 && i < count; i++)
		rc = add_word(f, words[i], err);
	return rc;
}
