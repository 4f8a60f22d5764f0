/*
 * Jobs that ask for a resource which armada.conf has no more (core_has_resources of core.h). Input: the
 * state after its recovery. Output: 0, or an error with the name of the resource and the ids of jobs.
 *
 * A spec knows since it was read whether it names such a resource, so only those are unpacked.
 */
#include "core/core.h"

#include "core/state/state.h"
#include "util/buf.h"
#include "util/plural.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { IDS_SHOWN = 10 };

static const char *unknown_of(Armada__Resource *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (list[i]->amount && resource_index(list[i]->name) < 0)
			return list[i]->name;
	return NULL;
}

/* The first such resource of a spec, in the arena. */
static const char *lacking(const struct spec *s, struct arena *a)
{
	const Armada__JobSpec *m = spec_unpack(s, a);
	const char *name = unknown_of(m->licenses, m->n_licenses);

	for (size_t i = 0; i < m->n_groups && !name; i++)
		name = unknown_of(m->groups[i]->resources, m->groups[i]->n_resources);
	return name;
}

int core_has_resources(const struct core *c, struct err *err)
{
	const struct state *state = core_state(c);
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	CLEANUP_BUF struct buf ids = {0};
	const char *name = NULL;
	uint64_t count = 0;

	for (size_t i = 0; i < state->job_slots; i++) {
		const struct job *j = state->jobs[i];
		const char *lacks = j && j->spec->lacks_resource ? lacking(j->spec, arena) : NULL;

		if (!lacks || (name && strcmp(name, lacks) != 0))
			continue;
		name = lacks;
		if (count++ < IDS_SHOWN)
			buf_addf(&ids, "%s%" PRIu64, ids.len ? ", " : "", j->id);
	}
	if (!name)
		return 0;
	if (count > IDS_SHOWN)
		buf_addf(&ids, " and %" PRIu64 " more", count - IDS_SHOWN);
	return err_set(
		err, -EINVAL,
		"the resource %s is missing in armada.conf, but %s for it: %s. Put it back, and "
		"remove it when %s ended",
		name, plural(count, "a job asks", "jobs ask"), (const char *)ids.data,
		plural(count, "this job has", "these jobs have"));
}
