/*
 * Specifications of queues as people write them: from armada.conf and back, and from words of a command
 * line.
 */
#pragma once

#include "conf/conf.h"
#include "conf/queue_spec.h"

/*
 * A field from a word of a command line: lists and groups are separated by commas, "none" is nothing. Of a
 * list whose entries hold commas the text is one entry, and added to what is there.
 */
int queue_field_read(const struct queue_field *f, const char *text, struct arena *a,
		     Armada__QueueSpec *s, struct err *err);
/* As armada.conf would say it, in the arena: `["ann"]`; "" when it is not set. */
const char *queue_field_text(const struct queue_field *f, const Armada__QueueSpec *s,
			     struct arena *a);
/* All that is set as one group: `{ priority_factor = 2; }`. */
const char *queue_text(const Armada__QueueSpec *s, struct arena *a);
/* The queue as an entry of `queues`, name first, a line for each. */
void queue_show(const Armada__QueueSpec *s, const char *indent, struct buf *out);

/* As said in an update: only what armada.conf says of it is there. q may have no name. */
int queue_spec_of(const struct conf *c, const struct conf_queue *q, struct arena *a,
		  Armada__QueueSpec **ret_spec, struct err *err);
