/* Assigns cpus and gpus to a task (place.h); agent/place.h makes the decision. */
#include "armd/launcher/place.h"

#include "armd/machine/counted.h"
#include "armd/task/body.h"

#include <errno.h>

/*
 * The places of live tasks. A task that has ended holds nothing, even while its shepherd still
 * cleans up.
 */
static size_t live_places(struct launcher *l, const struct place ***ret_places)
{
	const struct place **list = arena_alloc(l->arena, (l->live_count + 1) * sizeof(*list));
	size_t count = 0;

	for (size_t i = 0; i < l->live_count; i++)
		if (!l->live[i].ended)
			list[count++] = &l->live[i].place;
	*ret_places = list;
	return count;
}

static bool is_used(const struct place *const *live, size_t count, size_t bit)
{
	for (size_t i = 0; i < count; i++)
		if (place_has(live[i]->gpus, bit))
			return true;
	return false;
}

/* The lowest free numbers of each counted resource. */
static int place_counted(const struct launcher *l, const Armada__TaskBody *b,
			 const struct place *const *live, size_t count, struct place *p,
			 struct err *err)
{
	const struct machine *m = l->config->machine;

	for (size_t i = 0; i < m->counted_count; i++) {
		const struct machine_counted *c = &m->counted[i];
		int64_t want = task_body_amount(b, c->name), left = want;

		for (size_t n = 0; n < c->count && left > 0; n++)
			if (!is_used(live, count, machine_counted_bit(i, n))) {
				place_add(p->gpus, machine_counted_bit(i, n));
				left--;
			}
		if (left > 0 && c->count)
			return err_set(err, -ENOSPC,
				       "node %s has fewer free devices %s than the task requests "
				       "(%lld)",
				       l->config->node_name, c->name, (long long)want);
	}
	return 0;
}

int launcher_place(struct launcher *l, int fd, const struct attempt *a, struct place *ret_place,
		   struct err *err)
{
	const struct machine *m = l->config->machine;
	struct place_request want = {.gpus = 0};
	const struct place **live;
	const Armada__TaskBody *b;
	size_t count;
	int rc;

	b = msg_unpack_as(&armada__task_body__descriptor, a->body, a->body_len, l->arena, err);
	if (!b)
		return err_prefix(err, -EBADMSG, "the order's body");
	want.cpu_milli = task_body_amount(b, "cpu");
	want.gpus = task_body_amount(b, "gpu");
	if (!m || want.cpu_milli < 0 || want.gpus < 0)
		return 0;
	count = live_places(l, &live);
	rc = place_find(&m->topology, live, count, &want, ret_place);
	if (rc < 0)
		return err_set(err, rc, "node %s has fewer free gpus than the task requests (%lld)",
			       l->config->node_name, (long long)want.gpus);
	rc = place_counted(l, b, live, count, ret_place, err);
	if (rc < 0)
		return rc;
	rc = attempt_note_place(fd, ret_place);
	return rc < 0 ? err_sys(err, rc, "cannot write to the spool") : 0;
}
