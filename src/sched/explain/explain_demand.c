/*
 * Changes that drop or replace a demand: label values, node lists, taints, a class.
 *
 * Input: the search. Output: the first change with which the job starts, in the order of explain.h.
 * One demand is changed at a time. At most VALUES values are tried of each.
 */
#include "sched/explain/explain_demand.h"
#include "sched/explain/explain_nodes.h"
#include "util/mem.h"

#include <string.h>

enum { VALUES = 8 }; /* tried for one selector, or one kind of change */

static bool found(struct explain_search *c, const struct sched_job *as, struct sched_change change)
{
	if (!explain_change_starts(c, as))
		return false;
	c->best = change;
	return true;
}

/* "--constraint=a=b&!c"; NULL when no selector is left. */
static const char *selectors_option(struct explain_search *c, const struct sched_job *as)
{
	size_t count = as->selector_count - as->of_queue;
	const char *text = NULL;

	for (size_t i = 0, end; i < count; i = end) {
		bool several;

		end = constraint_condition_end(as->selectors, count, i);
		several = end > i + 1 && (i > 0 || end < count);
		text = arena_printf(c->arena, "%s%s%s%s%s",
				    text ? text : "--constraint=", text ? "&" : "",
				    several ? "(" : "",
				    explain_nodes_condition(c->arena, as->selectors, i, end),
				    several ? ")" : "");
	}
	return text;
}

/* Names in byte order, each once, at most VALUES. */
struct names {
	const char *name[VALUES];
	size_t count;
};

static void add_name(struct names *n, const char *name)
{
	size_t at = 0;

	while (at < n->count && strcmp(n->name[at], name) < 0)
		at++;
	if (at == VALUES || (at < n->count && strcmp(n->name[at], name) == 0))
		return;
	if (n->count < VALUES)
		n->count++;
	memmove(n->name + at + 1, n->name + at, (n->count - 1 - at) * sizeof(*n->name));
	n->name[at] = name;
}

/* The classes of the nodes that are up. */
static bool *kinds_up(struct explain_search *c)
{
	bool *up = arena_zalloc(c->arena, c->m->node_classes.count + 1, sizeof(*up));

	for (size_t i = 0; i < c->m->nodes.count; i++)
		if (c->m->nodes.list[i].present && c->m->nodes.list[i].schedulable)
			up[c->m->nodes.list[i].kind] = true;
	return up;
}

static bool other_label(struct explain_search *c)
{
	const bool *up = kinds_up(c);

	for (size_t i = 0; i < c->now.selector_count - c->now.of_queue; i++) {
		struct sched_job as = c->now;
		struct sched_selector *list =
			arena_memdup(c->arena, as.selectors, as.selector_count * sizeof(*list));
		struct names values = {.count = 0};

		for (size_t k = 0;
		     k < c->m->node_classes.count && !list[i].negate && *list[i].value; k++) {
			const char *has =
				up[k] ? node_class_label(&c->m->node_classes.list[k], list[i].key)
				      : NULL;

			if (has && strcmp(has, list[i].value) != 0)
				add_name(&values, has);
		}
		as.selectors = list;
		for (size_t v = 0; v < values.count; v++) {
			struct sched_change change = {
				.kind = CHANGE_OTHER_LABEL, .index = i, .name = values.name[v]};

			list[i].value = values.name[v];
			change.text = arena_printf(c->arena, "label %s instead of %s",
						   explain_nodes_selector(c->arena, &list[i]),
						   explain_nodes_selector(c->arena,
									  &c->now.selectors[i]));
			change.option = selectors_option(c, &as);
			if (found(c, &as, change))
				return true;
		}
	}
	return false;
}

static bool drop_label(struct explain_search *c)
{
	size_t own = c->now.selector_count - c->now.of_queue;

	for (size_t i = 0, end; i < own; i = end) {
		struct sched_change change = {.kind = CHANGE_DROP_LABEL, .index = i};
		struct sched_job as = c->now;
		struct sched_selector *list =
			arena_memdup(c->arena, as.selectors, as.selector_count * sizeof(*list));

		end = constraint_condition_end(list, own, i);
		memmove(list + i, list + end, (as.selector_count - end) * sizeof(*list));
		as.selector_count -= end - i;
		as.selectors = list;
		change.text =
			arena_printf(c->arena, "without label %s",
				     explain_nodes_condition(c->arena, c->now.selectors, i, end));
		change.option = selectors_option(c, &as);
		if (found(c, &as, change))
			return true;
	}
	return false;
}

static bool drop_lists(struct explain_search *c)
{
	struct sched_job as = c->now;
	struct sched_change change = {.kind = CHANGE_DROP_LISTS,
				      .text = !as.exclude_count ? "without its list of nodes"
					      : !as.include_count
						      ? "without its list of nodes to avoid"
						      : "without its lists of nodes"};

	if (!as.include_count && !as.exclude_count)
		return false;
	as.include_count = as.exclude_count = 0;
	return found(c, &as, change);
}

static bool drop_uniformity(struct explain_search *c)
{
	struct sched_job as = c->now;
	struct sched_change change = {.kind = CHANGE_UNIFORMITY, .name = as.uniformity};

	if (!as.uniformity)
		return false;
	change.text = arena_printf(c->arena, "on nodes that need not share a value of label %s",
				   as.uniformity);
	as.uniformity = NULL;
	return found(c, &as, change);
}

static bool share_node(struct explain_search *c)
{
	struct sched_job as = c->now;

	if (!as.exclusive && !as.exclusive_user)
		return false;
	as.exclusive = as.exclusive_user = false;
	return found(c, &as,
		     (struct sched_change){.kind = CHANGE_SHARE_NODE,
					   .text = c->now.exclusive ? "without --exclusive"
								    : "without --exclusive=user"});
}

/* The option lists all tolerations, because those of a stronger source replace the others. */
static const char *tolerations_option(struct explain_search *c, const struct sched_toleration *list,
				      size_t count)
{
	const char *text = "--toleration=";

	for (size_t i = 0; i < count; i++) {
		bool exists = strcmp(list[i].op, "Exists") == 0;

		text = arena_printf(c->arena, "%s%s%s%s%s", text, i ? "," : "",
				    *list[i].key ? list[i].key : "*", exists ? "" : "=",
				    exists ? "" : list[i].value);
	}
	return text;
}

static bool tolerate(struct explain_search *c)
{
	const struct constraint *now =
		c->m->shapes.list[c->m->subqueues.list[c->m->jobs.list[c->job].subqueue].shape]
			.constraint;
	size_t n = c->now.toleration_count;
	struct sched_toleration *list = arena_alloc(c->arena, (n + 1) * sizeof(*list));
	struct sched_job as = c->now;
	struct names shapes = {.count = 0};
	const bool *up = kinds_up(c);

	for (size_t k = 0; k < c->m->node_classes.count; k++)
		for (size_t t = 0; up[k] && t < c->m->node_classes.list[k].taint_count; t++)
			if (!constraint_tolerates(now, &c->m->node_classes.list[k].taints[t]))
				add_name(&shapes, c->m->node_classes.list[k].taints[t].key);
	for (size_t i = 0; i < n; i++)
		list[i] = as.tolerations[i];
	as.tolerations = list;
	as.toleration_count++;
	for (size_t i = 0; i < shapes.count; i++) {
		struct sched_change change = {.kind = CHANGE_TOLERATE, .name = shapes.name[i]};

		list[n] = (struct sched_toleration){shapes.name[i], "Exists", ""};
		change.text = arena_printf(c->arena, "tolerating taint %s", shapes.name[i]);
		change.option = tolerations_option(c, list, n + 1);
		if (found(c, &as, change))
			return true;
	}
	return false;
}

/* The difference of two priorities. */
static uint64_t distance(const struct sched_class *a, const struct sched_class *b)
{
	return a->priority > b->priority ? (uint64_t)a->priority - (uint64_t)b->priority
					 : (uint64_t)b->priority - (uint64_t)a->priority;
}

/* The class nearest to the job's own, open to all, that was not tried yet; NULL: none. */
static const struct sched_class *next_class(const struct explain_search *c, bool *tried)
{
	const struct sched_class *own =
		&c->m->levels.classes[priority_level_find_class(c->m, c->now.class_name)];
	const struct sched_class *best = NULL;

	for (size_t i = 0; i < c->m->levels.class_count; i++) {
		const struct sched_class *x = &c->m->levels.classes[i];

		if (x != own && !x->restricted && !tried[i] &&
		    (!best || distance(x, own) < distance(best, own)))
			best = x;
	}
	if (best)
		tried[best - c->m->levels.classes] = true;
	return best;
}

static bool other_class(struct explain_search *c)
{
	bool *tried = arena_zalloc(c->arena, c->m->levels.class_count, sizeof(*tried));
	const struct sched_class *class;

	while (!c->cut && (class = next_class(c, tried))) {
		struct sched_job as = c->now;
		struct sched_change change = {.kind = CHANGE_CLASS, .name = class->name};

		as.class_name = class->name;
		change.text = arena_printf(c->arena, "in class %s", class->name);
		change.option = arena_printf(c->arena, "--priority-class=%s", class->name);
		if (found(c, &as, change))
			return true;
	}
	return false;
}

void explain_demand_try(struct explain_search *c)
{
	static bool (*const kinds[])(struct explain_search *) = {
		other_label, drop_label, drop_lists,  drop_uniformity,
		share_node,  tolerate,   other_class,
	};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i](c))
			return;
}
