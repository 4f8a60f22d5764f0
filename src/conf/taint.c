#include "conf/taint.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

static bool is_word(const char *p, size_t len)
{
	if (len >= TAINT_WORD)
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)p[i]) && !strchr("-._/", p[i]))
			return false;
	return true;
}

static void copy(char to[TAINT_WORD], const char *from, size_t len)
{
	memcpy(to, from, len);
	to[len] = '\0';
}

static int check_effect(const char *effect, struct err *err)
{
	if (strcmp(effect, "NoSchedule") == 0 || strcmp(effect, "PreferNoSchedule") == 0)
		return 0;
	if (strcmp(effect, "NoExecute") == 0)
		return err_set(
			err, -EINVAL,
			"NoExecute is not supported, since a taint does not end running jobs: "
			"expected NoSchedule or PreferNoSchedule");
	return err_set(err, -EINVAL,
		       "'%.64s' is not an effect: expected NoSchedule or PreferNoSchedule", effect);
}

static bool split(const char *text, struct taint_words *w)
{
	size_t key = strcspn(text, "=:"), value = 0;
	const char *at = text + key;

	if (!key || !is_word(text, key))
		return false;
	copy(w->key, text, key);
	if (*at == '=') {
		value = strcspn(++at, ":");
		if (!is_word(at, value))
			return false;
		w->has_value = true;
		copy(w->value, at, value);
		at += value;
	}
	if (!*at)
		return true;
	if (strlen(++at) >= TAINT_WORD || !*at)
		return false;
	copy(w->effect, at, strlen(at));
	return true;
}

int taint_parse(const char *text, struct taint_words *ret_words, struct err *err)
{
	struct taint_words w = {.effect = ""};

	if (!split(text, &w))
		return err_set(err, -EINVAL,
			       "'%.64s' is not a taint: expected \"key=value:NoSchedule\"", text);
	if (!w.effect[0])
		copy(w.effect, "NoSchedule", strlen("NoSchedule"));
	if (check_effect(w.effect, err) < 0)
		return -EINVAL;
	*ret_words = w;
	return 0;
}

int toleration_parse(const char *text, struct taint_words *ret_words, struct err *err)
{
	struct taint_words w = {.effect = ""};

	if (strcmp(text, "*") != 0 && !split(text, &w))
		return err_set(
			err, -EINVAL,
			"'%.64s' is not a toleration; write the taint's key, key=value, or * "
			"for every taint",
			text);
	if (w.effect[0] && check_effect(w.effect, err) < 0)
		return -EINVAL;
	*ret_words = w;
	return 0;
}
