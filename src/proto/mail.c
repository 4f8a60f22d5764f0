/*
 * The mails that a job wants (mail.h). Input: texts of users. Output: types and checked addresses.
 */
#include "proto/mail.h"

#include "util/mem.h"
#include "util/nearest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { ADDRESS_MAX = 254, WORD_MAX = 32 };

static const struct {
	const char *word;
	uint32_t types;
} words[] = {
	{"NONE", 0},
	{"BEGIN", MAIL_BEGIN},
	{"END", MAIL_END},
	{"FAIL", MAIL_FAIL},
	{"REQUEUE", MAIL_REQUEUE},
	{"TIME_LIMIT", MAIL_TIME_LIMIT},
	{"ARRAY_TASKS", MAIL_ARRAY_TASKS},
	{"ALL", MAIL_BEGIN | MAIL_END | MAIL_FAIL | MAIL_REQUEUE | MAIL_TIME_LIMIT},
};

#define TYPES "BEGIN, END, FAIL, REQUEUE, TIME_LIMIT, ARRAY_TASKS, ALL and NONE"

/* Words of Slurm for mails that do not exist here. */
static const char *const absent[] = {
	"STAGE_OUT", "INVALID_DEPEND", "TIME_LIMIT_90", "TIME_LIMIT_80", "TIME_LIMIT_50",
};

static int unknown(const char *word, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(absent); i++)
		if (strcasecmp(absent[i], word) == 0)
			return err_set(err, -EINVAL,
				       "there are no mails of type %s; the types are " TYPES,
				       absent[i]);
	return err_set(err, -EINVAL, "'%s' is no type of mails; the types are " TYPES, word);
}

static int parse_word(const char *word, uint32_t *types, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strcasecmp(words[i].word, word) != 0)
			continue;
		*types |= words[i].types;
		return 0;
	}
	return unknown(word, err);
}

int mail_types_parse(const char *text, uint32_t *ret_types, struct err *err)
{
	uint32_t types = 0;

	for (const char *p = text;; p++) {
		size_t len = strcspn(p, ",");
		char word[WORD_MAX];
		int rc;

		snprintf(word, sizeof(word), "%.*s", (int)(len < WORD_MAX ? len : WORD_MAX - 1), p);
		rc = parse_word(word, &types, err);
		if (rc < 0)
			return rc;
		p += len;
		if (!*p)
			break;
	}
	*ret_types = types;
	return 0;
}

const char *mail_types_text(uint32_t types, char *ret_text, uint32_t size)
{
	size_t n = 0;

	ret_text[0] = '\0';
	for (size_t i = 1; i + 1 < ARRAY_SIZE(words); i++)
		if ((types & words[i].types) && n < size)
			n += (size_t)snprintf(ret_text + n, size - n, "%s%s", n ? "," : "",
					      words[i].word);
	if (!n)
		snprintf(ret_text, size, "NONE");
	return ret_text;
}

int mail_check_user(const char *text, struct err *err)
{
	static const char bad[] = "\"'`\\$&;|<>(){}[]*?!~#";
	size_t len = strlen(text);

	if (!len || len > ADDRESS_MAX)
		return err_set(err, -EINVAL, "a mail address has 1 to %d bytes", ADDRESS_MAX);
	if (*text == '-')
		return err_set(err, -EINVAL, "'%s': a mail address does not begin with a dash",
			       text);
	for (const char *p = text; *p; p++)
		if (*p <= ' ' || *p >= 127 || strchr(bad, *p))
			return err_set(
				err, -EINVAL,
				"a mail address contains letters, digits and + - _ . = @ %% / "
				", : ^ only, not the byte 0x%02x",
				(unsigned char)*p);
	return 0;
}
