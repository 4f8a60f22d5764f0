#include "sched/why.h"

#include <stddef.h>

static const struct {
	const char *word, *meaning;
} rows[] = {
#define X(number, NAME, word, meaning) [number] = {word, meaning},
	WHY_TABLE(X)
#undef X
};

const char *why_word(int why)
{
	return why > 0 && (size_t)why < sizeof(rows) / sizeof(*rows) ? rows[why].word : NULL;
}

const char *why_meaning(int why)
{
	return why > 0 && (size_t)why < sizeof(rows) / sizeof(*rows) ? rows[why].meaning : NULL;
}
