/* Values of plugin options from text, and the suggestion of the nearest known word. */
#include "conf/conf.h"
#include "tap/tap.h"
#include "util/mem.h"
#include "util/nearest.h"

#include <string.h>

static const struct armada_option boolean = {.type = ARMADA_OPTION_BOOL};
static const struct armada_option integer = {.type = ARMADA_OPTION_INT, .min = -5, .max = 5};
static const struct armada_option number = {.type = ARMADA_OPTION_DOUBLE, .max = 1};
static const struct armada_option text = {.type = ARMADA_OPTION_STRING};
static const struct armada_option duration = {.type = ARMADA_OPTION_DURATION};
static const struct armada_option size = {.type = ARMADA_OPTION_SIZE};
static const struct armada_option cpu = {.type = ARMADA_OPTION_CPU};
static const struct armada_option choice = {.type = ARMADA_OPTION_CHOICE, .choices = "a|bc|d"};
static const struct armada_option strings = {.type = ARMADA_OPTION_STRINGS};

static const struct {
	const struct armada_option *row;
	const char *text;
	int64_t i;
} good[] = {
	{&boolean, "true", 1}, {&boolean, "false", 0},
	{&integer, "-5", -5},  {&duration, "2h", 7200000000},
	{&size, "16K", 16384}, {&cpu, "500m", 500},
	{&choice, "bc", 1},    {&integer, NULL, 0},
	{&boolean, NULL, 0},
};

static const struct {
	const struct armada_option *row;
	const char *text, *says;
} bad[] = {
	{&boolean, "1", "neither true nor false"},
	{&boolean, "", "neither true nor false"},
	{&integer, "6", "6 is out of range: expected -5 to 5"},
	{&integer, "x", "not a whole number"},
	{&number, "1.5", "1.5 is out of range: expected 0 to 1"},
	{&number, "nan", "is not a number"},
	{&number, "0x1p3", "is not a number"},
	{&number, "", "is not a number"},
	{&number, "1 ", "is not a number"},
	{&text, "a\nb", "byte 0x0a"},
	{&text, "\xed\xa0\x80", "byte 0xed"},
	{&duration, "soon", "not understood"},
	{&size, "-1", "not understood"},
	{&cpu, "x", "not understood"},
	{&choice, "b", "'b' is not one of a|bc|d"},
	{&choice, NULL, "is not one of"},
	{&strings, "a", "cannot be given as one text"},
};

static void check_values(void)
{
	struct armada_option_value v;
	struct err err = {0};

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		is_int(option_parse(good[i].row, good[i].text, &v, &err), 0, "%s is accepted %s",
		       good[i].text ? good[i].text : "nothing", err.text);
		is_int(v.i, good[i].i, "its value is right");
	}
	ok(option_parse(&number, "0.25", &v, &err) == 0 && v.d == 0.25, "a number is read");
	ok(option_parse(&text, "na\xc3\xafve", &v, &err) == 0 && !strcmp(v.s, "na\xc3\xafve"),
	   "a text is read");
	ok(option_parse(&text, NULL, &v, &err) == 0 && !strcmp(v.s, ""),
	   "without a text the value is empty");
	ok(option_parse(&strings, NULL, &v, &err) == 0 && !v.count,
	   "without a text the list is empty");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		ok(option_parse(bad[i].row, bad[i].text, &v, &err) < 0, "'%s' is refused",
		   bad[i].text && strcmp(bad[i].text, "a\nb") ? bad[i].text : "?");
		has_str(err.text, bad[i].says, "the message has the reason");
	}
}

static void check_nearest(void)
{
	static const char *const words[] = {"cluster", "controllers", "limits", "nodes"};
	char wide[200];

	is_str(nearest_word("clutser", words, 4), "cluster", "a swap of letters is found");
	is_str(nearest_word("Limits", words, 4), "limits", "another case is found");
	is_str(nearest_word("node", words, 4), "nodes", "a missing letter is found");
	is_str(nearest_word("control", words, 4), "controllers", "a beginning is found");
	ok(!nearest_word("banana", words, 4), "no word is near");
	ok(!nearest_word("", words, 4), "an empty word has no near word");
	ok(!nearest_word("node", words, 0), "an empty list has no near word");
	memset(wide, 'x', sizeof(wide));
	wide[sizeof(wide) - 1] = '\0';
	ok(!nearest_word(wide, words, 4), "a very long word has no near word");
}

int main(void)
{
	check_values();
	check_nearest();
	return done();
}
