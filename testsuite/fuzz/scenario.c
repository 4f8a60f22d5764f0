/*
 * Input: a scenario of asim. Every refusal must have a message; an accepted scenario must run,
 * round by round, without an error of --check and without a plugin fault.
 */
#include "asim/rounds/play.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_JOBS = 300, MAX_NODES = 100, MAX_ROUNDS = 20 };

/*
 * Whether the scenario may have a count of four or more digits, which would need a lot of memory.
 */
static bool is_large(const uint8_t *data, size_t size)
{
	size_t digits = 0;

	if (!memmem(data, size, "cou", 3) && !memchr(data, '\\', size))
		return false;
	for (size_t i = 0; i < size && digits < 4; i++)
		digits = data[i] >= '0' && data[i] <= '9' ? digits + 1 : 0;
	return digits >= 4;
}

static const char *plugin_dir(void)
{
	static char dir[PATH_MAX];
	const char *build = getenv("ARMADA_BUILDDIR");

	snprintf(dir, sizeof(dir), "%s/plugins.d", build ? build : ".");
	return dir;
}

static bool is_small(const struct scenario *sc)
{
	return sc->job_count <= MAX_JOBS && sc->node_count <= MAX_NODES &&
	       sc->round_count <= MAX_ROUNDS;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct scenario_source from = {.plugin_dir = plugin_dir()};
	struct play_options o = {.file = "fuzz", .check = true};
	struct scenario sc;
	struct err err = {""};
	int rc;

	if (is_large(data, size))
		return 0;
	rc = scenario_parse(&sc, (const char *)data, size, &from, &err);
	if (rc && !err.text[0])
		abort();
	if (!rc && is_small(&sc)) {
		o.out = fopen("/dev/null", "w");
		rc = o.out ? play_scenario(&sc, &o, &err) : 0;
		if (rc == 1 || (rc && !err.text[0]))
			abort();
		if (o.out)
			fclose(o.out);
	}
	scenario_done(&sc);
	return 0;
}
