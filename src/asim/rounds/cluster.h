/*
 * The cluster of a scenario: resources, nodes, priority classes and queues, and how other parts of
 * the document refer to them.
 */
#pragma once

#include "asim/rounds/reader.h"

void cluster_read(struct reader *r, const struct at *root);
/* One row of amounts by resource name. */
void cluster_read_amounts(struct reader *r, const struct at *at, int64_t *ret_row);
void cluster_read_fraction(struct reader *r, const struct at *at, struct sched_fraction *ret);
/* The resource of this key. */
/* Other totals of floating resources; NULL: none are given. */
void cluster_read_totals(struct reader *r, const struct at *at, int64_t **ret);
size_t cluster_find_resource(struct reader *r, const struct at *at);
uint32_t cluster_find_node(struct reader *r, const struct at *at);
uint32_t cluster_find_queue(struct reader *r, const struct at *at);
/* No value: the default class. */
uint32_t cluster_find_class(struct reader *r, const struct at *at);
