/*
 * The rules of one floating resource (floating.h). Input: an entry of `floating`. Output: 0, or an
 * error that names the value.
 */
#include "conf/floating.h"

#include "conf/types.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>

int conf_settle_floating(void *one, bool *set, struct err *err)
{
	const struct conf_floating *f = one;
	double sum = 0;

	if (!set[1])
		return err_set(err, -EINVAL, "%s: total is missing: expected %s = 20 or total = 20",
			       f->name, f->name);
	if (f->queue_count > FLOATING_QUEUES_MAX)
		return err_set(err, -EINVAL, "%s: reserved for %zu queues: at most %d are possible",
			       f->name, f->queue_count, FLOATING_QUEUES_MAX);
	for (size_t i = 0; i < f->queue_count; i++) {
		double n = f->queues[i].value;

		if (n != floor(n))
			return err_set(err, -EINVAL, "%s: queues: %s = %g: expected a whole number",
				       f->name, f->queues[i].name, n);
		sum += n;
	}
	if (sum <= (double)f->total)
		return 0;
	return err_set(err, -EINVAL, "%s: %.0f are reserved for queues, but total is %" PRId64,
		       f->name, sum, f->total);
}
