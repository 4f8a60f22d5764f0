#include "armrestd/outcome.h"

#include "cmd/listing/listing.h"

#include <errno.h>

int outcome_judge(const struct exchange *x, const struct outcome *o, struct err *err)
{
	const char *why = o->problem_count ? o->problems[0] : NULL;

	if (o->denied && !o->done)
		return err_set(err, -EPERM, "%s", why ? why : "you may not change this job");
	if (o->refused && !o->done)
		return err_set(err, -EBADE, "%s", why ? why : "the job cannot be changed now");
	if (o->absent)
		return err_set(err, -ENOENT, "there is no job %s, or it has ended", x->ids[0]);
	return 0;
}

void outcome_count(struct exchange *x, const char *name, uint64_t n)
{
	if (!x->json)
		x->json = listing_json_new();
	json_object_set_new(x->json, name, json_integer((json_int_t)n));
}
