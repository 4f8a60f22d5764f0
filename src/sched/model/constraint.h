/*
 * The demands of a job on nodes besides resources: selectors, tolerations, node lists, uniformity.
 * Equal ones are kept once, for all requests. NULL: no demands.
 */
#pragma once

#include "sched/model/node_class.h"

struct model;

/* The strings are in the text. Shapes share equal constraints. */
struct constraint {
	uint32_t id, users;
	struct node_class_set kinds;
	char *text;
	size_t len;
	struct sched_selector *selectors;
	struct sched_toleration *tolerations;
	const char **include, **exclude; /* exclude: the excluded nodes, then those to avoid */
	size_t of_queue;                 /* the last selectors are those of the queue */
	size_t selector_count, toleration_count, include_count, exclude_count, avoid_count;
	const char *uniformity;
	/*
	 * The listed nodes that exist now, in the order of the nodes array; resolved again when
	 * nodes change.
	 */
	uint32_t *include_nodes, *exclude_nodes;
	size_t include_have, exclude_have;
	uint64_t nodes_version;
};

struct constraints {
	struct constraint_place {
		struct constraint *c;
		uint32_t next; /* if the place is free */
	} * list;
	size_t count, cap;
	uint32_t unused;
	struct map map;
	struct node_class_set plain; /* of shapes without a constraint */
};

struct constraint *constraint_new(const struct sched_job *job);
void constraint_free(struct constraint *c);
/* Intern the constraint of a job: one more shape uses it. _release: one less. */
struct constraint *constraint_intern(struct model *m, const struct sched_job *job);
void constraint_release(struct model *m, struct constraint *c);
/* The node classes that it allows; borrowed until a class is added. */
const struct node_class_set *constraint_classes(struct model *m, struct constraint *c);
bool constraint_allows_class(const struct constraint *c, const struct node_class *k);
bool constraint_selects(const struct sched_selector *sel, const struct node_class *k);
/* The end of the condition that begins with selector `first`: of its alternatives one must be met. */
size_t constraint_condition_end(const struct sched_selector *list, size_t count, size_t first);
bool constraint_meets(const struct sched_selector *list, size_t first, size_t end,
		      const struct node_class *k);
bool constraint_tolerates(const struct constraint *c, const struct sched_taint *taint);
bool constraint_has_lists(const struct constraint *c);
/* Is the node one that the job avoids, because it just failed there? */
bool constraint_avoids(const struct constraint *c, const char *node);
/* Do the lists of included, excluded and avoided nodes allow this node? */
bool constraint_lists(const struct model *m, struct constraint *c, uint32_t node);
