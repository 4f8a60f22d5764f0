/*
 * A QueueSpec as text: from armada.conf and back, and from words of a command line.
 */
#pragma once

#include "conf/conf.h"
#include "conf/queue_spec.h"

/*
 * A field from a word of a command line. Entries of lists and groups are separated by commas; "none" deletes
 * the value. For a list whose entries contain commas, the text is one entry, which is added to the list.
 */
int queue_field_read(const struct queue_field *f, const char *text, struct arena *a,
		     Armada__QueueSpec *s, struct err *err);
/* In the syntax of armada.conf, in the arena: `["ann"]`; "": not set. */
const char *queue_field_text(const struct queue_field *f, const Armada__QueueSpec *s,
			     struct arena *a);
/* All fields that are set, as one group: `{ priority_factor = 2; }`. */
const char *queue_text(const Armada__QueueSpec *s, struct arena *a);
/* The queue as an entry of `queues`: its name, then one line for each field. */
void queue_show(const Armada__QueueSpec *s, const char *indent, struct buf *out);

/* The QueueSpec of an update, with only the fields that armada.conf sets. q may have no name. */
int queue_spec_of(const struct conf *c, const struct conf_queue *q, struct arena *a,
		  Armada__QueueSpec **ret_spec, struct err *err);
