/*
 * Job events: the numbers of a job set have no gap, and an event that comes again after a restart is the
 * same.
 */
#include "asim/storm/invariant/table.h"

#include <sodium.h>
#include <string.h>

enum { DIGEST = 16 };

/* A job set, and a digest of each of its events. */
struct set_events {
	const char *queue, *job_set;
	uint64_t first;
	uint8_t (*digests)[DIGEST];
	size_t count, cap;
};

struct job_events {
	struct set_events *sets;
	size_t count, cap;
};

static struct set_events *obtain(struct storm *s, struct job_events *all,
				 const struct armada_history_event *ev)
{
	for (size_t i = 0; i < all->count; i++)
		if (strcmp(all->sets[i].job_set, ev->job_set) == 0 &&
		    strcmp(all->sets[i].queue, ev->queue) == 0)
			return &all->sets[i];
	RUN_GROW(s, all->sets, all->cap, all->count);
	all->sets[all->count] = (struct set_events){
		.queue = arena_strdup(s->run, ev->queue),
		.job_set = arena_strdup(s->run, ev->job_set),
		.first = ev->number,
	};
	return &all->sets[all->count++];
}

static void digest(const struct armada_history_event *ev, uint8_t ret[DIGEST])
{
	const uint64_t head[] = {(uint64_t)ev->kind, (uint64_t)ev->time_us, ev->job, ev->uid};
	crypto_generichash_state st;

	crypto_generichash_init(&st, NULL, 0, DIGEST);
	crypto_generichash_update(&st, (const uint8_t *)head, sizeof(head));
	crypto_generichash_update(&st, ev->body, ev->body_len);
	crypto_generichash_final(&st, ret, DIGEST);
}

static void on_job_event(struct storm *s, void *own, const struct armada_history_event *ev)
{
	struct set_events *set = obtain(s, own, ev);
	uint8_t now[DIGEST];

	digest(ev, now);
	if (ev->number < set->first || ev->number - set->first > set->count) {
		storm_violate(s, "job set %s of queue %s: event %llu after %llu", ev->job_set,
			      ev->queue, (unsigned long long)ev->number,
			      (unsigned long long)(set->first + set->count - 1));
	} else if (ev->number - set->first < set->count) {
		if (memcmp(set->digests[ev->number - set->first], now, DIGEST) != 0)
			storm_violate(s, "job set %s of queue %s: event %llu has changed",
				      ev->job_set, ev->queue, (unsigned long long)ev->number);
	} else {
		RUN_GROW(s, set->digests, set->cap, set->count);
		memcpy(set->digests[set->count++], now, DIGEST);
	}
}

const struct invariant invariant_job_events = {
	.size = sizeof(struct job_events),
	.on_job_event = on_job_event,
};
