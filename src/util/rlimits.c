/*
 * Names of the limits of setrlimit(2) (rlimits.h). Input: a name, or a list such as "ALL,-memlock".
 * Output: an index of the table, or a set of bits by index; an error names the word that is wrong and the
 * limits that exist. The list is read from left to right: "ALL" or "NONE" may only be the first word.
 */
#include "util/rlimits.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>

enum { WORD_MAX = 32 };

/* clang-format off */
const struct rlimit_name rlimit_names[RLIMIT_NAMES] = {
	{"cpu",		RLIMIT_CPU,	RLIMIT_MAX},
	{"fsize",	RLIMIT_FSIZE,	RLIMIT_MAX},
	{"data",	RLIMIT_DATA,	RLIMIT_MAX},
	{"stack",	RLIMIT_STACK,	8 << 20},
	{"core",	RLIMIT_CORE,	0},
	{"rss",		RLIMIT_RSS,	RLIMIT_MAX},
	{"nproc",	RLIMIT_NPROC,	RLIMIT_MAX},
	{"nofile",	RLIMIT_NOFILE,	1024},
	{"memlock",	RLIMIT_MEMLOCK,	RLIMIT_MAX},
	{"as",		RLIMIT_AS,	RLIMIT_MAX},
};
/* clang-format on */

static const char words[] = "cpu, fsize, data, stack, core, rss, nproc, nofile, memlock, as";

enum { EVERY = (1 << RLIMIT_NAMES) - 1 };

const char *rlimit_words(void)
{
	return words;
}

int rlimit_find(const char *name)
{
	static const char prefix[] = "RLIMIT_";

	if (strncasecmp(name, prefix, strlen(prefix)) == 0)
		name += strlen(prefix);
	for (int i = 0; i < RLIMIT_NAMES; i++)
		if (strcasecmp(name, rlimit_names[i].name) == 0)
			return i;
	return -ENOENT;
}

static int add_word(const char *word, bool first, uint32_t *set, struct err *err)
{
	bool without = word[0] == '-';
	int i = rlimit_find(word + without);

	if (strcasecmp(word, "ALL") == 0 || strcasecmp(word, "NONE") == 0) {
		if (!first)
			return err_set(err, -EINVAL, "%s comes first, as in ALL,-core", word);
		*set = word[0] == 'A' || word[0] == 'a' ? EVERY : 0;
		return 0;
	}
	if (i < 0)
		return err_set(
			err, -EINVAL,
			"'%s' is not a limit; write ALL, NONE, or some of %s; after ALL, -NAME "
			"excludes one",
			word, words);
	if (without && first)
		return err_set(err, -EINVAL, "%s needs ALL before it: write ALL,%s", word, word);
	*set = without ? *set & ~(1u << i) : *set | 1u << i;
	return 0;
}

int rlimit_parse(const char *text, uint32_t *ret_set, struct err *err)
{
	uint32_t set = 0;

	for (const char *at = text;; at++) {
		size_t n = strcspn(at, ",");
		char word[WORD_MAX];
		int rc;

		if (n >= sizeof(word))
			return err_set(err, -EINVAL, "'%.*s...' is not a limit: there are %s",
				       WORD_MAX, at, words);
		memcpy(word, at, n);
		word[n] = '\0';
		rc = add_word(word, at == text, &set, err);
		if (rc < 0)
			return rc;
		at += n;
		if (!*at)
			break;
	}
	*ret_set = set;
	return 0;
}

uint64_t rlimit_raise_files(void)
{
	struct rlimit limit = {.rlim_cur = 1024};

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return limit.rlim_cur;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	return limit.rlim_cur;
}
