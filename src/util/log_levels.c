/*
 * The levels of the log by area (log_levels.h). Input: words of a configuration or of an administrator.
 * Output: whether a line is written. Each level is read and written alone, so no lock is needed.
 */
#include "util/log_levels.h"

#include "util/mem.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { FOLLOWS = 0 }; /* the area has no level of its own */

static struct {
	uint8_t all;
	uint8_t own[LOG_AREAS];
} levels = {.all = LOG_NOTICE};

static const struct {
	const char *word;
	enum log_level level;
} words_of[] = {
	{"error", LOG_ERROR},   {"warn", LOG_WARN}, {"warning", LOG_WARN},
	{"notice", LOG_NOTICE}, {"info", LOG_INFO}, {"debug", LOG_DEBUG},
};

static const struct {
	const char *word, *contents;
} areas[LOG_AREAS] = {
#define LOG_AREA_ROW(name, word, contents) [LOG_AREA_##name] = {word, contents},
	LOG_AREA_TABLE(LOG_AREA_ROW)
#undef LOG_AREA_ROW
};

const char *log_area_word(enum log_area area)
{
	return areas[area].word;
}

const char *log_area_contents(enum log_area area)
{
	return areas[area].contents;
}

static void set(uint8_t *level, unsigned to)
{
	__atomic_store_n(level, (uint8_t)to, __ATOMIC_RELAXED);
}

static uint8_t get(const uint8_t *level)
{
	return __atomic_load_n(level, __ATOMIC_RELAXED);
}

void log_set_level(enum log_level max)
{
	set(&levels.all, max);
}

bool log_area_is_set(enum log_area area)
{
	return get(&levels.own[area]) != FOLLOWS;
}

enum log_level log_level_of_area(enum log_area area)
{
	uint8_t own = get(&levels.own[area]);

	return (enum log_level)(own != FOLLOWS ? own : get(&levels.all));
}

bool log_wants(enum log_area area, enum log_level level)
{
	return level <= log_level_of_area(area);
}

int log_level_of(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(words_of); i++)
		if (strcmp(words_of[i].word, word) == 0)
			return words_of[i].level;
	return -1;
}

const char *log_level_word(enum log_level level)
{
	for (size_t i = 0; i < ARRAY_SIZE(words_of); i++)
		if (words_of[i].level == level)
			return words_of[i].word;
	return "?";
}

static int no_area(const char *word, size_t len, struct err *err)
{
	char list[128];
	size_t n = 0;

	for (size_t i = 0; i < LOG_AREAS; i++)
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s, ", areas[i].word);
	return err_set(err, -EINVAL, "%s: '%.*s' is no area of the log; the areas are: %sall", word,
		       (int)(len < 40 ? len : 40), word, list);
}

/* *ret_area: LOG_AREAS for all. *ret_level: FOLLOWS for "default". */
static int read_word(const char *word, size_t *ret_area, unsigned *ret_level, struct err *err)
{
	const char *sign = strchr(word, '='), *level = sign ? sign + 1 : word;
	size_t len = sign ? (size_t)(sign - word) : 3;
	size_t area = 0;
	int number = log_level_of(level);

	while (sign && area < LOG_AREAS &&
	       !(strlen(areas[area].word) == len && memcmp(areas[area].word, word, len) == 0))
		area++;
	*ret_area = sign ? area : LOG_AREAS;
	if (*ret_area == LOG_AREAS && sign && !(len == 3 && memcmp(word, "all", 3) == 0))
		return no_area(word, len, err);
	*ret_level = number > 0 ? (unsigned)number : FOLLOWS;
	if (number > 0 || strcmp(level, "default") == 0)
		return 0;
	return err_set(
		err, -EINVAL,
		"%s: expected AREA=LEVEL, where LEVEL is error, warn, notice, info, debug or "
		"default",
		word);
}

static void apply(size_t area, unsigned level)
{
	for (size_t i = 0; i < LOG_AREAS; i++)
		if (area == LOG_AREAS || i == area)
			set(&levels.own[i], level);
}

int log_levels_set(const char *const *words, size_t count, struct err *err)
{
	unsigned level;
	size_t area;

	for (size_t i = 0; i < count; i++) {
		int rc = read_word(words[i], &area, &level, err);

		if (rc < 0)
			return rc;
	}
	for (size_t i = 0; i < count; i++)
		if (read_word(words[i], &area, &level, err) == 0)
			apply(area, level);
	return 0;
}

void log_levels_on_signal(int number)
{
	apply(LOG_AREAS, number == SIGUSR1 ? LOG_DEBUG : FOLLOWS);
}

void log_levels_signals(void)
{
	const struct sigaction act = {.sa_handler = log_levels_on_signal, .sa_flags = SA_RESTART};

	sigaction(SIGUSR1, &act, NULL);
	sigaction(SIGUSR2, &act, NULL);
}
