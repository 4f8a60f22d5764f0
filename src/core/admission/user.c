#include "core/admission/user.h"

#include "util/rlimits.h"

/*
 * Refuses a group that the user database does not list for the caller: the caller got it from a
 * program.
 */
static int admit_group(struct admission *a)
{
	const struct caller *who = a->txn->in->caller;

	for (size_t i = 0; i < who->gid_count; i++)
		if (who->gids[i] == who->gid)
			return 0;
	if (!who->gid_count)
		return 0; /* the groups could not be looked up */
	return a->code = 4,
	       admit_no(a, "group %u: %s is not a member of it on the controller's machine",
			who->gid, who->user);
}

int admit_user(struct admission *a)
{
	const struct caller *who = a->txn->in->caller;
	const struct core_policy *p = a->txn->policy;

	if (!who->user)
		return a->code = 4,
		       admit_no(a, "user id %u has no name on the controller's machine", who->uid);
	if (who->uid == 0 && !p->allow_root_jobs)
		return a->code = 4, admit_no(a, "jobs of root are not accepted here "
						"(security.allow_root_jobs in armada.conf)");
	if (who->uid != 0 && who->uid < p->min_uid)
		return a->code = 4,
		       admit_no(a,
				"jobs of users with an id below %u are not accepted here "
				"(security.min_uid in armada.conf)",
				p->min_uid);
	return admit_group(a);
}

int admit_rlimits(struct admission *a)
{
	const Armada__JobSpec *s = a->spec;
	uint32_t seen = 0;

	for (size_t i = 0; i < s->n_rlimits; i++) {
		int n = rlimit_find(s->rlimits[i]->name);

		if (n < 0)
			return admit_no(a, "limit '%s' is not known: there are %s",
					s->rlimits[i]->name, rlimit_words());
		if (seen >> n & 1)
			return admit_no(a, "limit %s is given twice", rlimit_names[n].name);
		seen |= 1u << n;
	}
	return 0;
}
