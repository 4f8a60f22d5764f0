#include "sched/watch.h"
#include "util/mem.h"

#include <string.h>

/* What a round leaves to the next, as it was. */
struct dry {
	void *fairness, *order, *preempt, *select; /* the plugins' own handles */
	struct lasting *lasting;
};

/*
 * A plugin may remember in its handle what it likes, so a round that does not count has handles of
 * its own. What a queue's usage was is kept by the host.
 */
static int open_handles(struct sched *s)
{
	struct armada_error e = {""};
	struct armada_order_traits order;
	struct armada_preempt_traits preempt;
	int rc = s->fairness->open(&s->fairness_handle, s->fairness_plugin->values, &s->policy, &e);

	if (rc)
		return rc;
	rc = s->order->open(&s->order_handle, s->order_plugin->values, &s->policy, &order, &e);
	if (rc)
		goto close_fairness;
	rc = s->preempt->open(&s->preempt_handle, s->preempt_plugin->values, &s->policy, &preempt,
			      &e);
	if (rc)
		goto close_order;
	rc = s->select->open(&s->select_handle, s->select_plugin->values, &s->policy, &e);
	if (!rc)
		return 0;
	s->preempt->close(s->preempt_handle);
close_order:
	s->order->close(s->order_handle);
close_fairness:
	s->fairness->close(s->fairness_handle);
	return rc;
}

static void put_handles(struct sched *s, const struct dry *d)
{
	s->fairness_handle = d->fairness;
	s->order_handle = d->order;
	s->preempt_handle = d->preempt;
	s->select_handle = d->select;
}

int dry_begin(struct sched *s, struct arena *a, struct dry **ret_dry)
{
	struct dry *d = arena_alloc(a, sizeof(*d));
	int rc;

	*d = (struct dry){.fairness = s->fairness_handle,
			  .order = s->order_handle,
			  .preempt = s->preempt_handle,
			  .select = s->select_handle,
			  .lasting = lasting_keep(s, a)};
	rc = open_handles(s);
	if (rc) {
		put_handles(s, d);
		return rc;
	}
	*ret_dry = d;
	return 0;
}

void dry_rewind(struct sched *s, const struct dry *d)
{
	lasting_restore(s, d->lasting);
}

void dry_end(struct sched *s, const struct dry *d)
{
	dry_rewind(s, d);
	s->fairness->close(s->fairness_handle);
	s->order->close(s->order_handle);
	s->preempt->close(s->preempt_handle);
	s->select->close(s->select_handle);
	put_handles(s, d);
}
