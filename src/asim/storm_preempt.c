/* Somebody takes the room of what runs: by id, by node, by queue, by class. */
#include "asim/storm_parts.h"

#include <string.h>

struct wish {
	Armada__PreemptRequest m;
	Armada__JobFilter filter;
	Armada__JobRange range, *ids[1];
	Armada__IndexRange elements;
	char *names[1];
};

/* A job, or one element of it. */
static void by_id(struct storm *s, struct wish *x, const struct storm_job *j)
{
	armada__job_range__init(&x->range);
	armada__index_range__init(&x->elements);
	x->range.first = x->range.last = j->id;
	if (j->elements > 1 && storm_random(s, 2)) {
		x->elements.first = x->elements.last = storm_random(s, j->elements);
		x->range.elements = &x->elements;
		x->range.has_elements = true;
	}
	x->ids[0] = &x->range;
	x->filter.ids = x->ids;
	x->filter.n_ids = 1;
}

static void by_name(struct wish *x, const char *name, char ***ret_list, size_t *ret_count)
{
	x->names[0] = (char *)name;
	*ret_list = x->names;
	*ret_count = 1;
}

void client_preempt(struct storm *s, const struct storm_job *j, const struct storm_node *n)
{
	struct wish x;

	armada__preempt_request__init(&x.m);
	armada__job_filter__init(&x.filter);
	switch (storm_random(s, 8)) {
	case 0:
		by_name(&x, storm_queues[storm_random(s, STORM_QUEUES)].name, &x.filter.queues,
			&x.filter.n_queues);
		break;
	case 1:
		by_name(&x, storm_classes[storm_random(s, STORM_CLASSES)].name,
			&x.filter.priority_classes, &x.filter.n_priority_classes);
		break;
	case 2:
	case 3:
	case 4:
		by_name(&x, n->name, &x.filter.nodes, &x.filter.n_nodes);
		break;
	default:
		if (!j->id)
			return;
		by_id(s, &x, j);
	}
	x.m.filter = &x.filter;
	x.m.reason = (char *)(storm_random(s, 2) ? "weather" : "");
	x.m.hold = storm_random(s, 8) == 0;
	x.m.dry_run = storm_random(s, 8) == 0;
	s->count.asked_to_go++;
	client_ask(s, STORM_JOBS, MSG_PREEMPT, &x.m);
}
