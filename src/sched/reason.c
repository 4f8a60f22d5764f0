#include "sched/reason.h"
#include "util/mem.h"
#include "util/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void reason_amount(size_t resource, int64_t amount, char *out, size_t size)
{
	if (amount < 0) /* what the more urgent will take is gone already */
		amount = 0;
	if (resource == 0)
		format_cpu(amount, out, size);
	else if (resource == 1)
		format_size(amount, out, size);
	else
		snprintf(out, size, "%" PRId64, amount);
}

void reason_wait(int64_t us, char *out, size_t size)
{
	int64_t s = us / 1000000 + (us % 1000000 > 0), m = (s + 59) / 60, h;

	if (m > 60)
		m = (m + 9) / 10 * 10;
	h = m / 60;
	if (h >= 24)
		h += m % 60 > 0;
	if (s < 60)
		snprintf(out, size, "within a minute");
	else if (m < 60)
		snprintf(out, size, "in at most %" PRId64 "m", m);
	else if (h < 24)
		snprintf(out, size, "in at most %" PRId64 "h %" PRId64 "m", h, m % 60);
	else
		snprintf(out, size, "in at most %" PRId64 "d %" PRId64 "h", h / 24, h % 24);
}

/* The key in question and what is known about the nodes. */
struct question {
	struct sched *s;
	struct arena *arena;
	uint32_t key;
	struct constraint *constraint;
	struct index_ask ask;
	uint32_t usable; /* nodes that its constraints leave */
	char who[64];    /* "none of 12 nodes", "no node of the 3 it may use" */
};

static bool kind_may(const struct question *q, uint32_t kind)
{
	if (q->ask.kind_set)
		return q->ask.kind_set[kind / 64] >> (kind % 64) & 1;
	return q->ask.kinds >> (kind % 63) & 1;
}

static bool has_lists(const struct question *q)
{
	return constraint_has_lists(q->constraint);
}

static bool may_use(const struct question *q, uint32_t node)
{
	const struct node *n = &q->s->nodes[node];

	return n->present && n->schedulable && kind_may(q, n->kind) &&
	       (!has_lists(q) || constraint_lists(q->s, q->constraint, node));
}

/* Of two nodes the one with more in this row; of equals the one declared first. */
static uint32_t more(const struct sched *s, const int64_t *rows, size_t r, uint32_t a, uint32_t b)
{
	int64_t x, y;

	if (a == NIL || b == NIL)
		return a == NIL ? b : a;
	x = rows[(size_t)a * s->dims + r];
	y = rows[(size_t)b * s->dims + r];
	if (x != y)
		return x > y ? a : b;
	return s->nodes[a].order < s->nodes[b].order ? a : b;
}

static uint32_t scan(const struct question *q, const int64_t *rows, size_t r)
{
	uint32_t best = NIL;

	for (uint32_t i = 0; i < q->s->node_count; i++)
		if (may_use(q, i))
			best = more(q->s, rows, r, best, i);
	return best;
}

/* Of each kind, of its nodes that may be used, how many, and the largest in each resource. */
static void measure_kinds(struct sched *s)
{
	if (s->measured == s->totals_version)
		return;
	for (size_t k = 0; k < s->kind_count; k++) {
		s->kinds[k].up = 0;
		for (size_t r = 0; r < s->dims; r++)
			s->kinds[k].largest[r] = NIL;
	}
	for (uint32_t i = 0; i < s->node_count; i++) {
		struct kind *k = &s->kinds[s->nodes[i].kind];

		if (!s->nodes[i].present || !s->nodes[i].schedulable)
			continue;
		k->up++;
		for (size_t r = 0; r < s->dims; r++)
			k->largest[r] = more(s, s->total, r, k->largest[r], i);
	}
	s->measured = s->totals_version;
}

static uint32_t count_up(struct sched *s)
{
	uint32_t n = 0;

	measure_kinds(s);
	for (size_t k = 0; k < s->kind_count; k++)
		n += s->kinds[k].up;
	return n;
}

static uint32_t count_usable(const struct question *q)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < q->s->kind_count && !has_lists(q); k++)
		n += kind_may(q, k) ? q->s->kinds[k].up : 0;
	for (uint32_t i = 0; i < q->s->node_count && has_lists(q); i++)
		n += may_use(q, i);
	return n;
}

static uint32_t largest(const struct question *q, size_t r)
{
	uint32_t best = NIL;

	if (has_lists(q))
		return scan(q, q->s->total, r);
	for (uint32_t k = 0; k < q->s->kind_count; k++)
		if (kind_may(q, k))
			best = more(q->s, q->s->total, r, best, q->s->kinds[k].largest[r]);
	return best;
}

/* Many keys ask the same while nothing moves. */
static uint32_t freest(const struct question *q, size_t r)
{
	struct sched *s = q->s;
	struct freest *f = q->constraint ? &q->constraint->kinds.freest : &s->plain.freest;

	if (f->at != s->moves)
		*f = (struct freest){.at = s->moves};
	if (!(f->known >> r & 1))
		f->nodes[r] =
			has_lists(q) ? scan(q, s->free, r) : index_best(s, &s->index, &q->ask, r);
	f->known |= UINT32_C(1) << r;
	return f->nodes[r];
}

static struct reason none_has(const struct question *q, size_t r, uint32_t best)
{
	struct sched *s = q->s;
	const int64_t *request = key_request(s, q->key);
	uint32_t big = largest(q, r);
	char want[32], have[32];

	if (big == NIL)
		return (struct reason){0};
	reason_amount(r, request[r], want, sizeof(want));
	if (node_total(s, big)[r] < request[r]) {
		reason_amount(r, node_total(s, big)[r], have, sizeof(have));
		return (struct reason){
			WHY_TOO_LARGE,
			arena_printf(q->arena, "%s has %s %s at all (largest: %s with %s)", q->who,
				     want, s->resources[r], s->nodes[big].name, have)};
	}
	if (best == NIL)
		return (struct reason){WHY_RESOURCES,
				       arena_printf(q->arena, "%s has %s %s free now", q->who, want,
						    s->resources[r])};
	reason_amount(r, node_free(s, best)[r], have, sizeof(have));
	return (struct reason){WHY_RESOURCES,
			       arena_printf(q->arena, "%s has %s %s free now (best: %s with %s)",
					    q->who, want, s->resources[r], s->nodes[best].name,
					    have)};
}

/* "no node has 9 cpu free now (best: n0 with 4)": the first resource that alone rules all out. */
static struct reason one_resource(const struct question *q)
{
	struct sched *s = q->s;
	const int64_t *request = key_request(s, q->key);

	for (size_t r = 0; r < s->dims; r++) {
		uint32_t best = request[r] > 0 ? freest(q, r) : NIL;
		struct reason why;

		if (request[r] <= 0 || (best != NIL && node_free(s, best)[r] >= request[r]))
			continue;
		why = none_has(q, r, best);
		if (why.text)
			return why;
	}
	return (struct reason){0};
}

static void list_amounts(const struct sched *s, const int64_t *request, const int64_t *amounts,
			 struct buf *out)
{
	const char *sep = "";
	char text[32];

	for (size_t r = 0; r < s->dims; r++) {
		if (request[r] <= 0)
			continue;
		reason_amount(r, amounts[r], text, sizeof(text));
		buf_addf(out, "%s%s %s", sep, text, s->resources[r]);
		sep = ", ";
	}
}

static uint32_t nearest(const struct question *q)
{
	struct sched *s = q->s;
	uint32_t best = NIL;
	double least = 0;

	if (!has_lists(q))
		return index_nearest(s, &s->index, &q->ask, &s->nearest_work);
	s->nearest_work += s->node_count;
	for (uint32_t i = 0; i < s->node_count; i++) {
		double lack;

		if (!may_use(q, i) || s->nodes[i].exclusive)
			continue;
		lack = index_lack(s, node_free(s, i), q->ask.request);
		if (best != NIL &&
		    (lack > least || (!(lack < least) && s->nodes[i].order > s->nodes[best].order)))
			continue;
		best = i;
		least = lack;
	}
	return best;
}

/* Each resource is free somewhere, but not all on one node. */
static const char *together(const struct question *q)
{
	struct sched *s = q->s;
	const int64_t *request = key_request(s, q->key);
	uint32_t best = s->nearest_work < NEAREST_WORK ? nearest(q) : NIL;
	struct buf b = {0};
	const char *text;

	buf_addf(&b, "%s has ", q->who);
	list_amounts(s, request, request, &b);
	buf_addstr(&b, " free together");
	if (best != NIL) {
		buf_addf(&b, " (nearest: %s with ", s->nodes[best].name);
		list_amounts(s, request, node_free(s, best), &b);
		buf_addc(&b, ')');
	}
	text = arena_strdup(q->arena, (const char *)b.data);
	buf_done(&b);
	return text;
}

/* Is a node up that the selector selects? */
static bool is_met(const struct sched *s, const struct sched_selector *sel)
{
	for (size_t k = 0; k < s->kind_count; k++)
		if (s->kinds[k].up && constraint_selects(sel, &s->kinds[k]))
			return true;
	return false;
}

/* Its nodes must share the value of a label: does any node that is up have it? */
static bool is_uniform_in_vain(const struct question *q)
{
	const struct constraint *c = q->constraint;

	return c && *c->uniformity &&
	       !is_met(q->s, &(struct sched_selector){c->uniformity, "", false});
}

/* No node may be used: say which demand leaves none. */
static struct reason no_candidate(const struct question *q)
{
	const struct constraint *c = q->constraint;

	for (size_t i = 0; c && i < c->selector_count; i++) {
		const struct sched_selector *sel = &c->selectors[i];

		if (!is_met(q->s, sel))
			return (struct reason){
				WHY_CONSTRAINTS,
				arena_printf(q->arena, "no node that is up has label %s%s%s%s",
					     sel->negate ? "other than " : "", sel->key,
					     *sel->value ? "=" : "", sel->value)};
	}
	if (c && c->avoid_count)
		return (struct reason){
			WHY_CONSTRAINTS,
			arena_printf(
				q->arena,
				"no other node will take it than %s%s, where it could not be started "
				"just now",
				c->exclude[c->exclude_count], c->avoid_count > 1 ? " ..." : "")};
	if (c && c->include_count)
		return (struct reason){
			WHY_CONSTRAINTS,
			arena_printf(q->arena, "no node it asks for (%s%s) is up and will take it",
				     c->include[0], c->include_count > 1 ? " ..." : "")};
	if (c && (c->selector_count || c->exclude_count))
		return (struct reason){
			WHY_CONSTRAINTS,
			"no node that is up has all it asks for in labels, lists of nodes and taints"};
	return (struct reason){WHY_TAINTS,
			       "every node that is up has a taint it does not tolerate"};
}

static const char *gang(const struct question *q, uint32_t found)
{
	const struct key *k = &q->s->keys[q->key];

	if (q->constraint && *q->constraint->uniformity)
		return arena_printf(
			q->arena,
			"needs room for %u at once on nodes with one value of label %s, "
			"at most %u have it",
			k->members, q->constraint->uniformity, found);
	if (k->distinct || k->exclusive)
		return arena_printf(q->arena, "needs %u nodes at once, %u %s room", k->members,
				    found, found == 1 ? "has" : "have");
	return arena_printf(q->arena, "needs room for %u tasks at once, there is room for %u",
			    k->members, found);
}

static void ask_who(struct question *q, uint32_t up)
{
	if (q->usable < up)
		snprintf(q->who, sizeof(q->who), "no node of the %u it may use", q->usable);
	else if (up > 1)
		snprintf(q->who, sizeof(q->who), "none of %u nodes", up);
	else
		snprintf(q->who, sizeof(q->who), "no node");
}

struct reason reason_blocked(struct sched *s, struct arena *a, uint32_t key, uint32_t found)
{
	struct key *k = &s->keys[key];
	struct question q = {.s = s, .arena = a, .key = key, .constraint = k->constraint};
	const struct kinds_taken *kinds;
	uint32_t up = count_up(s);
	struct reason why;

	if (!up)
		return (struct reason){WHY_NODES_DOWN, "no nodes are up"};
	kinds = key_kinds(s, key);
	q.ask = (struct index_ask){
		.request = key_request(s, key), .kinds = kinds->bits, .kind_set = kinds->set};
	if (found == NIL && k->members > 1 && place_gang(s, key, &found))
		place_undo(s);
	if (found != NIL && found > 0)
		return (struct reason){WHY_GANG, gang(&q, found)};
	q.usable = count_usable(&q);
	if (!q.usable)
		return no_candidate(&q);
	if (is_uniform_in_vain(&q))
		return (struct reason){WHY_CONSTRAINTS,
				       arena_printf(a, "no node that is up has label %s",
						    k->constraint->uniformity)};
	ask_who(&q, up);
	why = one_resource(&q);
	if (why.text)
		return why;
	if (k->exclusive)
		return (struct reason){WHY_RESOURCES,
				       arena_printf(a, "wants a whole node, and %s is empty",
						    q.who)};
	return (struct reason){WHY_RESOURCES, together(&q)};
}

struct reason reason_unready(struct arena *a, const struct job *j)
{
	if (j->held)
		return (struct reason){WHY_HELD, "held"};
	return (struct reason){WHY_ARRAY_LIMIT,
			       arena_printf(a, "array limit of %u running elements reached",
					    j->throttle)};
}

struct reason reason_closed(const struct queue *q)
{
	if (q->present)
		return (struct reason){WHY_QUEUE_CORDONED, "queue is cordoned"};
	return (struct reason){WHY_QUEUE_REMOVED, "queue was removed"};
}
