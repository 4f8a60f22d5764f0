#include "fed_sched.h"

#include <inttypes.h>

#include "util/mem.h"

#include <string.h>

static const char *const resources[] = {"cpu", "memory", "gpu"};
static const struct sched_class classes[] = {
	{.name = "armada-default", .priority = 1000, .urgency_preemptible = true},
};

void fed_sched_init(struct fed_sched *p, const struct test_world *w, struct rig_policy policy)
{
	policy.classes = classes;
	policy.class_count = ARRAY_SIZE(classes);
	policy.partial_gangs = true;
	memset(p, 0, sizeof(*p));
	rig_init_policy(&p->rig, &policy);
	p->feed = sched_feed_new(p->rig.s, resources, ARRAY_SIZE(resources));
	sched_feed_fill(p->feed, w->core);
}

void fed_sched_done(struct fed_sched *p)
{
	sched_feed_free(p->feed);
	rig_done(&p->rig);
}

void fed_sched_apply(struct fed_sched *p, const struct test_world *w)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);

	if (w->out.record)
		sched_feed_apply(p->feed, msg_unpack_own(&armada__record__descriptor, w->out.record,
							 w->out.record_len, arena));
}

const char *fed_sched_starts(struct test_world *w, struct fed_sched *p)
{
	struct sched_result r;
	struct sched_round round = {.now_us = w->wall_us, .seed = 1};
	const char *text = "";

	sched_run_round(p->rig.s, &round, &r);
	for (size_t i = 0; i < r.decision_count; i++) {
		size_t nodes = 0;

		for (size_t k = 0; k < r.decisions[i].node_count; k++)
			nodes += r.decisions[i].nodes[k] != NULL;
		text = arena_printf(w->arena, "%s%s%" PRIu64 ":%zu", text, *text ? " " : "",
				    r.decisions[i].job, nodes);
	}
	text = arena_strdup(w->arena, text);
	sched_result_done(&r);
	return text;
}
