/* The form of a word that goes with a count: plural(n, "job", "jobs"), plural(n, "is", "are"). */
#pragma once

#include <stdint.h>

static inline const char *plural(uint64_t count, const char *one, const char *several)
{
	return count == 1 ? one : several;
}
