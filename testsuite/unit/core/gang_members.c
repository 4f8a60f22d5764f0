#include "gang_members.h"

struct made {
	Armada__JobSpec spec;
	Armada__TaskGroup group, *groups[1];
	Armada__Resource cpu, *list[1];
	Armada__IndexRange range, *array[1];
};

static char *text(const char *s)
{
	return (char *)(s ? s : "");
}

static Armada__JobSpec *make(struct made *m, const struct gang_member *from)
{
	spec_init(&m->spec, &m->group);
	m->groups[0] = &m->group;
	m->spec.groups = m->groups;
	m->group.replicas = from->tasks ? from->tasks : 1;
	spec_cpus(&m->group, from->cpus ? from->cpus : 1, &m->cpu, m->list);
	m->spec.name = (char *)(from->name ? from->name : "train");
	m->spec.gang_id = (char *)(from->no_gang ? "" : from->id ? from->id : "g");
	m->spec.gang_cardinality = from->cardinality;
	m->spec.gang_min = from->min;
	m->spec.min_available = from->least;
	m->spec.on_task_failure = from->on_task_failure;
	m->spec.nodes = from->nodes;
	m->spec.priority_class = text(from->class);
	m->spec.uniformity = text(from->uniformity);
	m->spec.queue = text(from->queue);
	m->spec.job_set = text(from->job_set);
	m->spec.exclusive = from->exclusive;
	m->spec.exclusive_user = from->exclusive_user;
	m->spec.hold = from->hold;
	m->spec.no_requeue = from->no_requeue;
	if (from->array) {
		armada__index_range__init(&m->range);
		m->range.last = 3;
		m->array[0] = &m->range;
		m->spec.array = m->array;
		m->spec.n_array = 1;
	}
	return &m->spec;
}

uint64_t gang_members_submit(struct test_world *w, const struct gang_member *list, size_t count)
{
	Armada__SubmitRequest m = ARMADA__SUBMIT_REQUEST__INIT;
	static struct made made[16];
	Armada__JobSpec *jobs[16];
	const Armada__SubmitReply *r;

	for (size_t i = 0; i < count; i++)
		jobs[i] = make(&made[i], &list[i]);
	m.jobs = jobs;
	m.n_jobs = count;
	world_send(w, TEST_USER, MSG_SUBMIT, &m);
	r = world_reply(w, MSG_SUBMIT_REPLY);
	return r && r->n_ids == count ? r->ids[0] : 0;
}

uint64_t gang_member_submit(struct test_world *w, struct gang_member m)
{
	return gang_members_submit(w, &m, 1);
}

int world_leased(const struct test_world *w)
{
	int n = 0;

	for (size_t i = 0; w->out.decoded && i < w->out.decoded->n_events; i++)
		n += w->out.decoded->events[i]->kind_case == ARMADA__EVENT__KIND_ELEMENT_LEASED;
	return n;
}

void gang_members_begin(struct test_world *w)
{
	world_init(w);
	world_node(w, 1, "n1", 4, "boot1", 1);
	world_node(w, 2, "n2", 4, "boot1", 2);
}
