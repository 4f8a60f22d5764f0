/*
 * Draws updates of queues.
 *
 * Input: the random numbers of the seed. Output: a request that changes one field of one queue, or
 * of two queues. The controller may refuse it; the reply is not checked.
 */
#include "asim/storm/queue.h"
#include "asim/storm/policy.h"

enum { SAID_LIMITS = 3 };

/* A new version of a queue, with memory for its fields. */
struct draft {
	Armada__QueueSpec spec;
	Armada__Limit limit[SAID_LIMITS], *limits[SAID_LIMITS];
	Armada__ClassLimit class_limit, *class_limits[1];
	Armada__Fraction part, *parts[1];
	Armada__Permission permission, *permissions[1];
	Armada__QueueVerb verbs[1];
	Armada__Label label, *labels[1];
	char *owners[1];
};

static void draw_limits(struct storm *s, struct draft *d, size_t *ret_count)
{
	static const struct {
		Armada__LimitKind kind;
		int64_t least;
		uint64_t more;
	} kinds[SAID_LIMITS] = {
		{ARMADA__LIMIT_KIND__LIMIT_WAITING, 4, 24},
		{ARMADA__LIMIT_KIND__LIMIT_SUBMIT_RATE, 600, 7200},
		{ARMADA__LIMIT_KIND__LIMIT_SUBMIT_BURST, 1, 6},
	};

	*ret_count = storm_random(s, SAID_LIMITS + 1);
	for (size_t i = 0; i < *ret_count; i++) {
		armada__limit__init(&d->limit[i]);
		d->limit[i].kind = kinds[i].kind;
		d->limit[i].value = kinds[i].least + (int64_t)storm_random(s, kinds[i].more);
		d->limits[i] = &d->limit[i];
	}
}

static void draw_share(struct storm *s, struct draft *d)
{
	armada__class_limit__init(&d->class_limit);
	armada__fraction__init(&d->part);
	d->class_limit.priority_class =
		(char *)sim_policy_classes[storm_random(s, SIM_CLASSES)].name;
	d->part.resource = (char *)"cpu";
	d->part.part = (double)(1 + storm_random(s, 4)) / 4;
	d->parts[0] = &d->part;
	d->class_limit.limits = d->parts;
	d->class_limit.n_limits = 1;
	d->class_limits[0] = &d->class_limit;
	d->spec.class_limits = d->class_limits;
	d->spec.n_class_limits = storm_random(s, 2);
	d->spec.set_class_limits = true;
}

static void draw_people(struct storm *s, struct draft *d)
{
	armada__permission__init(&d->permission);
	d->permission.kind = ARMADA__SUBJECT_KIND__SUBJECT_USER;
	d->permission.name = (char *)(storm_random(s, 8) ? "bob" : "nemo");
	d->verbs[0] = (Armada__QueueVerb)(1 + storm_random(s, 5));
	d->permission.verbs = d->verbs;
	d->permission.n_verbs = 1;
	d->permissions[0] = &d->permission;
	d->spec.permissions = d->permissions;
	d->spec.n_permissions = storm_random(s, 2);
	d->spec.set_permissions = true;
	d->owners[0] = (char *)(storm_random(s, 8) ? "ann" : "nemo");
	d->spec.owners = d->owners;
	d->spec.n_owners = storm_random(s, 2);
	d->spec.set_owners = true;
}

static void draw_defaults(struct storm *s, struct draft *d)
{
	armada__label__init(&d->label);
	d->label.key = (char *)"colour";
	d->label.value = (char *)(storm_random(s, 2) ? "red" : "blue");
	d->labels[0] = &d->label;
	d->spec.labels = d->labels;
	d->spec.n_labels = storm_random(s, 2);
	d->spec.set_labels = true;
	d->spec.set_default_class = true;
	if (storm_random(s, 2))
		d->spec.default_class =
			(char *)sim_policy_classes[storm_random(s, SIM_CLASSES)].name;
}

static void draw(struct storm *s, struct draft *d, const char *name)
{
	*d = (struct draft){.spec = ARMADA__QUEUE_SPEC__INIT};
	d->spec.name = (char *)name;
	switch (storm_random(s, 6)) {
	case 0:
		d->spec.priority_factor = 1 + (double)storm_random(s, 8);
		break;
	case 1:
		d->spec.cordoned = storm_random(s, 3) == 0;
		d->spec.set_cordoned = true;
		break;
	case 2:
		draw_share(s, d);
		break;
	case 3:
		draw_people(s, d);
		break;
	case 4:
		draw_defaults(s, d);
		break;
	default:
		if (storm_random(s, 2)) {
			draw_limits(s, d, &d->spec.n_quota);
			d->spec.quota = d->limits;
			d->spec.set_quota = true;
		} else {
			draw_limits(s, d, &d->spec.n_user_quota);
			d->spec.user_quota = d->limits;
			d->spec.set_user_quota = true;
		}
	}
}

void sim_queue_update(struct storm *s, const struct sim_job *j UNUSED,
		      const struct sim_node *n UNUSED)
{
	Armada__QueueRequest m = ARMADA__QUEUE_REQUEST__INIT;
	uint64_t first = storm_random(s, SIM_QUEUES);
	Armada__QueueSpec *more[1];
	struct draft one, other;

	m.verb = ARMADA__QUEUE_REQUEST__VERB__QUEUE_UPDATE;
	m.spec = &one.spec;
	draw(s, &one, sim_policy_queues[first].name);
	if (storm_random(s, 3) == 0) {
		draw(s, &other, sim_policy_queues[(first + 1) % SIM_QUEUES].name);
		more[0] = &other.spec;
		m.more = more;
		m.n_more = 1;
	}
	storm_trace(s, "queue %s is changed", m.spec->name);
	sim_client_ask(s, SIM_JOBS, MSG_QUEUE, &m);
}
