/*
 * The rows of QUEUE_TABLE (queue_table.h) as data: for updates, the command line, listings and comparisons.
 */
#pragma once

#include "conf/queue_table.h"

struct conf_row;

/* A row, without the parts for armada.conf. */
struct queue_field {
	const char *name; /* in armada.conf */
	enum queue_shape shape;
	int kind; /* enum quota_kind, of a QUEUE_SHAPE_LIMIT */
	/* Offsets in QueueSpec; count: of lists. Without a flag the field is set if it is not 0. */
	size_t at, count, flag;
	bool owners_may;   /* owners may change it, not only administrators */
	const char *words; /* "max time" */
	struct {
		const char *name, *aliases, *arg, *help, *more;
	} option; /* name NULL: no option and no column */
	struct {
		const char *name, *heading;
		enum { QUEUE_LEFT, QUEUE_RIGHT, QUEUE_WIDE } side;
		const char *help;
	} column;
};
extern const struct queue_field queue_fields[QUEUE_FIELDS];

/* Find a row by its name in armada.conf; NULL: no such field. */
const struct queue_field *queue_field_find(const char *name);
/* Its row in the section `queues`. */
const struct conf_row *queue_field_conf(const struct queue_field *f);
