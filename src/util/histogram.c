/* A histogram of times (histogram.h). */
#include "util/histogram.h"

const double histogram_bounds[HISTOGRAM_BOUNDS] = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
						   0.1,    0.25,  0.5,    1,     2.5,  5,     10};

void histogram_add(struct histogram *h, int64_t us)
{
	double s = us > 0 ? (double)us / 1e6 : 0;
	size_t at = 0;

	while (at < HISTOGRAM_BOUNDS && s > histogram_bounds[at])
		at++;
	h->counts[at]++;
	h->sum_s += s;
}
