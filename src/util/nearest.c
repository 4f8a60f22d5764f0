#include "util/nearest.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

enum { WORD_LEN = 64 };

/* The edit distance of two words, where a swap of neighbours counts 1; limit + 1 if it exceeds limit. */
static int distance(const char *a, const char *b, int limit)
{
	int rows[3][WORD_LEN + 1], *before = rows[0], *last = rows[1], *now = rows[2];
	int la = (int)strlen(a), lb = (int)strlen(b);

	if (la > WORD_LEN || lb > WORD_LEN || la - lb > limit || lb - la > limit)
		return limit + 1;
	for (int j = 0; j <= lb; j++)
		last[j] = before[j] = j;
	for (int i = 1; i <= la; i++) {
		int *swap = before;

		now[0] = i;
		for (int j = 1; j <= lb; j++) {
			int same = tolower((unsigned char)a[i - 1]) ==
				   tolower((unsigned char)b[j - 1]);
			int best = last[j - 1] + !same;

			if (last[j] + 1 < best)
				best = last[j] + 1;
			if (now[j - 1] + 1 < best)
				best = now[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    before[j - 2] + 1 < best)
				best = before[j - 2] + 1;
			now[j] = best;
		}
		before = last;
		last = now;
		now = swap;
	}
	return last[lb];
}

/* How many typing errors a word may have: as many as its shorter spelling allows. */
static int errors_allowed(size_t len, size_t other)
{
	size_t n = len < other ? len : other;

	return n <= 4 ? 1 : n <= 8 ? 2 : 3;
}

/* The number of typing errors, doubled, and 1 more for another first letter; INT_MAX: not near. */
static int remoteness(const char *word, const char *known)
{
	int limit = errors_allowed(strlen(word), strlen(known));
	int errors = distance(word, known, limit);
	bool first = tolower((unsigned char)word[0]) == tolower((unsigned char)known[0]);

	if (errors > limit || (errors > 1 && !first))
		return INT_MAX;
	return 2 * errors + !first;
}

const char *nearest_word(const char *word, const char *const *words, size_t count)
{
	size_t len = strlen(word);
	int best = INT_MAX;
	const char *near = NULL;

	for (size_t i = 0; i < count; i++) {
		int d = remoteness(word, words[i]);

		if (d < best) {
			best = d;
			near = words[i];
		}
	}
	if (near || len < 3)
		return near;
	/* no word is near; the word may be the beginning of one */
	for (size_t i = 0; i < count; i++)
		if (strncasecmp(word, words[i], len) == 0)
			return words[i];
	return NULL;
}
