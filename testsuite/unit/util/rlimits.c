#include "util/rlimits.h"

#include "tap/tap.h"
#include "util/mem.h"

#include <string.h>

enum { EVERY = (1 << RLIMIT_NAMES) - 1 };

static uint32_t bit(const char *name)
{
	return 1u << rlimit_find(name);
}

static void test_taken(void)
{
	const struct {
		const char *text;
		uint32_t want;
	} lists[] = {
		{"ALL", EVERY},
		{"all", EVERY},
		{"NONE", 0},
		{"nofile", bit("nofile")},
		{"RLIMIT_CORE,Stack", bit("core") | bit("stack")},
		{"ALL,-memlock,-nproc", EVERY & ~bit("memlock") & ~bit("nproc")},
		{"NONE,as", bit("as")},
		{"nofile,nofile", bit("nofile")},
	};
	uint32_t set;

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		set = ~0U;
		ok(rlimit_parse(lists[i].text, &set, NULL) == 0 && set == lists[i].want, "%s",
		   lists[i].text);
	}
}

static void test_refused(void)
{
	static const struct {
		const char *text, *words;
	} lists[] = {
		{"", "'' is not a limit"},
		{"files", "'files' is not a limit; write ALL, NONE, or some of cpu, fsize"},
		{"nofile,", "'' is not a limit"},
		{"core,ALL", "ALL comes first"},
		{"-core", "write ALL,-core"},
		{"nofile=1024", "'nofile=1024' is not a limit"},
		{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "is not a limit"},
	};
	struct err err;
	uint32_t set = 77;

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		err.text[0] = '\0';
		ok(rlimit_parse(lists[i].text, &set, &err) < 0 && set == 77, "\"%s\" is refused",
		   lists[i].text);
		has_str(err.text, lists[i].words, "the error says so");
	}
}

/* The error text lists all limits, and each has a resource of its own. */
static void test_table(void)
{
	uint32_t resources = 0;

	for (int i = 0; i < RLIMIT_NAMES; i++) {
		ok(strstr(rlimit_words(), rlimit_names[i].name) != NULL, "%s is in the list",
		   rlimit_names[i].name);
		is_int(rlimit_find(rlimit_names[i].name), i, "it is found by name");
		resources |= 1u << rlimit_names[i].resource;
	}
	is_int(__builtin_popcount(resources), RLIMIT_NAMES, "all resources differ");
	ok(rlimit_find("sigpending") < 0, "another limit is not found");
}

int main(void)
{
	test_taken();
	test_refused();
	test_table();
	return done();
}
