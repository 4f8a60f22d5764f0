/*
 * Access to the fields of a QueueSpec, by the rows of conf/queue_table.h: get, put, and the fields of an
 * update.
 *
 * The values are option values of the rows of `queues`, as armada.conf and the command line have them; `set`
 * means that the field exists. Times of a QueueSpec are whole seconds, rounded up.
 */
#pragma once

#include "conf/queue_field.h"
#include "proto/msg.h"
#include <armada/option.h>

/*
 * The value of a field. It lives in the arena or is borrowed from the message. `set` is false if the value
 * is that of a queue without settings.
 */
struct armada_option_value queue_field_get(const struct queue_field *f, const Armada__QueueSpec *s,
					   struct arena *a);
/* Put a value into the message and set its flag; v has the row's type. A value that is not set clears it. */
int queue_field_put(const struct queue_field *f, const struct armada_option_value *v,
		    struct arena *a, Armada__QueueSpec *s, struct err *err);
/* Does an update have the field, or the list of limits that the field belongs to? */
bool queue_field_given(const struct queue_field *f, const Armada__QueueSpec *s);
/* The same, but for a limit only if this limit is in the list. */
bool queue_field_present(const struct queue_field *f, const Armada__QueueSpec *s);
/* A shallow copy: both messages share lists. For a limit the whole list is copied. */
void queue_field_copy(const struct queue_field *f, const Armada__QueueSpec *from,
		      Armada__QueueSpec *to);
/* Clear the flags, which only an update has. */
void queue_spec_clear_flags(Armada__QueueSpec *s);
/* Is the field a list whose entries may contain commas, so that its option is repeated? */
bool queue_field_repeats(const struct queue_field *f);
