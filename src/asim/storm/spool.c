#include "asim/storm/spool.h"

void sim_spool_plan(struct storm *s, const struct sim_node *n, const struct sim_attempt *a,
		    enum sim_event_kind kind, int64_t in_us)
{
	storm_plan(
		s, in_us,
		(struct sim_event){.kind = kind, .node = n->index, .life = n->boot, .key = a->key});
}

static struct sim_attempt **place_of(struct sim_node *n, const struct task_key *key)
{
	struct sim_attempt **at = &n->spool;

	while (*at && !task_key_equal(&(*at)->key, key))
		at = &(*at)->next;
	return at;
}

struct sim_attempt *sim_spool_find(struct sim_node *n, const struct task_key *key)
{
	return *place_of(n, key);
}

struct sim_attempt *sim_spool_add(struct sim_node *n, const struct ledger_effect *e)
{
	struct sim_attempt *a = xcalloc(1, sizeof(*a));

	a->key = e->key;
	a->seq = e->seq;
	a->boot = n->boot;
	a->terms = n->taking;
	a->next = n->spool;
	return n->spool = a;
}

void sim_spool_end(struct sim_node *n, const struct ledger_effect *e)
{
	struct sim_attempt *a = sim_spool_find(n, &e->key);

	if (!a)
		a = sim_spool_add(n, e);
	a->ended = true;
	free(a->end.text);
	a->end = *e->report->end;
	a->end.usage = NULL;
	a->end.text = xstrdup(a->end.text);
	a->end.node_problem = (char *)""; /* it did not run */
}

static void drop(struct sim_attempt **at)
{
	struct sim_attempt *a = *at;

	if (!a)
		return;
	*at = a->next;
	free(a->end.text);
	free(a);
}

void sim_spool_forget(struct sim_node *n, const struct task_key *key)
{
	drop(place_of(n, key));
}

void sim_spool_clear(struct sim_node *n)
{
	while (n->spool)
		drop(&n->spool);
}
