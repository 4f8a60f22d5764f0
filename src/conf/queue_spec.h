/*
 * A queue as messages carry it (QueueSpec), and as armada.conf says it: one table of its fields, so that
 * the file, actl's options, what a reconfigure would change and `actl queue show --conf` know the same
 * ones.
 *
 * Between the two stand option values of the rows of `queues` (conf/tables.c): `set` says that the field
 * is there at all. Times of a message are whole seconds: part of one counts as all of it.
 */
#ifndef CONF_QUEUE_SPEC_H
#define CONF_QUEUE_SPEC_H

#include "conf/conf.h"
#include "proto/msg.h"
#include "util/arena.h"

struct conf_row;
struct queue_row;

/* The fields that this release knows, in the order in which armada.conf(5) has them. */
size_t queue_row_count(void);
const struct queue_row *queue_row_at(size_t i);
/* By the name of its row, "priority_factor"; NULL: a queue has none. */
const struct queue_row *queue_row_find(const char *row);
const char *queue_row_name(const struct queue_row *f);
enum armada_option_type queue_row_type(const struct queue_row *f);
const struct conf_row *queue_row_conf(const struct queue_row *f);

/*
 * What the message says of it. It lives in the arena or borrows from the message; not set where it is
 * what a queue has that says nothing.
 */
struct armada_option_value queue_row_get(const struct queue_row *f, const Armada__QueueSpec *s,
					 struct arena *a);
/* Put it into the message, as said in an update; v is of the row's type. What is not set is cleared. */
int queue_row_put(const struct queue_row *f, const struct armada_option_value *v, struct arena *a,
		  Armada__QueueSpec *s, struct err *err);
/*
 * The same from a word of a command line: lists and groups are separated by commas, "none" is nothing.
 * Of a list whose entries hold commas the text is one entry, and added to what is there.
 */
int queue_row_read(const struct queue_row *f, const char *text, struct arena *a,
		   Armada__QueueSpec *s, struct err *err);
/* An absolute limit: there or not. */
bool queue_row_is_most(const struct queue_row *f);
/* Is it such a list? */
bool queue_row_repeats(const struct queue_row *f);
/* Does the update say anything of it? */
bool queue_row_said(const struct queue_row *f, const Armada__QueueSpec *s);

/* As armada.conf would say it, in the arena: `["ann"]`; "" when it is not set. */
const char *queue_row_text(const struct queue_row *f, const Armada__QueueSpec *s, struct arena *a);
/* All that is set as one group: `{ priority_factor = 2; }`. */
const char *queue_text(const Armada__QueueSpec *s, struct arena *a);
/* The queue as an entry of `queues`, name first, a line for each. */
void queue_show(const Armada__QueueSpec *s, const char *indent, struct buf *out);

/* Queue i of c as a message, as said in an update: only what the file says of it is there. */
int queue_spec_of(const struct conf *c, size_t i, struct arena *a, Armada__QueueSpec **ret_spec,
		  struct err *err);

#endif
