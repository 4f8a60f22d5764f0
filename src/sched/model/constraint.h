/*
 * What a job demands of nodes beside resources: selectors, tolerations, lists of nodes, uniformity.
 * Equal ones are kept once, whatever the requests beside them. NULL is the job without any.
 */
#pragma once

#include "sched/model/node_class.h"

struct model;

/* Strings lie in the text. Shapes share equal ones. */
struct constraint {
	uint32_t id, users;
	struct node_class_set kinds;
	char *text;
	size_t len;
	struct sched_selector *selectors;
	struct sched_toleration *tolerations;
	const char **include, **exclude; /* behind what is excluded, what is avoided */
	size_t selector_count, toleration_count, include_count, exclude_count, avoid_count;
	const char *uniformity;
	/* The listed nodes of today, in index order of the nodes array; made anew when nodes change. */
	uint32_t *include_nodes, *exclude_nodes;
	size_t include_have, exclude_have;
	uint64_t nodes_version;
};

struct constraints {
	struct constraint_place {
		struct constraint *c;
		uint32_t next; /* when the place is free */
	} * list;
	size_t count, cap;
	uint32_t unused;
	struct map map;
	struct node_class_set plain; /* of shapes without a constraint */
};

struct constraint *constraint_new(const struct sched_job *job);
void constraint_free(struct constraint *c);
/* The one that is kept for all jobs that say the same, with one user more; one less. */
struct constraint *constraint_intern(struct model *m, const struct sched_job *job);
void constraint_release(struct model *m, struct constraint *c);
/* Which classes of node it leaves; borrowed until classes come. */
const struct node_class_set *constraint_classes(struct model *m, struct constraint *c);
bool constraint_allows_class(const struct constraint *c, const struct node_class *k);
bool constraint_selects(const struct sched_selector *sel, const struct node_class *k);
bool constraint_tolerates(const struct constraint *c, const struct sched_taint *taint);
bool constraint_has_lists(const struct constraint *c);
/* Did the node of this name just fail it? */
bool constraint_avoids(const struct constraint *c, const char *node);
/* Do the lists of nodes to use and to avoid leave this one? */
bool constraint_lists(const struct model *m, struct constraint *c, uint32_t node);
