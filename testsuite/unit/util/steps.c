#include "tap/tap.h"
#include "util/steps.h"

enum { N = 40 };

/* Counts the elements of every range of a few indices, compared with a loop. */
static void check_all(uint32_t step)
{
	int wrong = 0;

	for (uint32_t first = 0; first < N; first++)
		for (uint32_t last = 0; last < N; last++) {
			struct rangeset s = {0};
			uint64_t count = 0, pieces;

			steps_add(&s, first, last, step);
			for (uint32_t i = 0; i < N; i++) {
				bool in = i >= first && i <= last &&
					  (i - first) % (step ? step : 1) == 0;

				count += in;
				wrong += in != steps_have(first, last, step, i);
				wrong += in != rangeset_contains(&s, i);
			}
			pieces = step > 1 ? count : count > 0;
			wrong += count != steps_count(first, last, step) || s.total != count;
			wrong += pieces != steps_pieces(first, last, step) || s.count != pieces;
			rangeset_done(&s);
		}
	is_int(wrong, 0, "a step of %u", step);
}

int main(void)
{
	for (uint32_t step = 0; step < 9; step++)
		check_all(step);
	is_int(steps_count(0, UINT32_MAX, 1), INT64_C(1) << 32, "all 32-bit indices");
	is_int(steps_count(UINT32_MAX, UINT32_MAX, 7), 1, "the largest index");
	return done();
}
