#include "core/admission/scavenge.h"

#include "proto/task_division.h"

int admit_scavenge(struct admission *a)
{
	const Armada__JobSpec *s = a->spec;

	if (!s->scavenge)
		return 0;
	if (job_spec_alone(s) || s->exclusive_user)
		return admit_no(
			a, "scavenge: a job that wants whole nodes (--exclusive, --mem=0) is not "
			   "preempted, so it cannot scavenge");
	if (s->n_licenses)
		return admit_no(
			a, "scavenge: the job would keep licenses from others; submit it without "
			   "--licenses or without --scavenge");
	if (s->gang_id[0])
		return admit_no(
			a,
			"gang %s: --scavenge is not for a gang of jobs; a job with several tasks "
			"(--ntasks) can scavenge",
			s->gang_id);
	return 0;
}
