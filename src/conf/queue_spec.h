/*
 * A specification of a queue (QueueSpec), field by field as conf/queue_table.h lists them: what it says,
 * what is put into it, and what an update of a queue brings.
 *
 * Between a specification and armada.conf or a command line stand option values of the rows of `queues`:
 * `set` says that the field is there at all. Times of a specification are whole seconds: part of one counts
 * as all of it.
 */
#pragma once

#include "conf/queue_table.h"
#include "proto/msg.h"
#include <armada/option.h>

/*
 * What the message says of it. It lives in the arena or borrows from the message; not set where it is
 * what a queue has that says nothing.
 */
struct armada_option_value queue_field_get(const struct queue_field *f, const Armada__QueueSpec *s,
					   struct arena *a);
/* Put it into the message, as said in an update; v is of the row's type. What is not set is cleared. */
int queue_field_put(const struct queue_field *f, const struct armada_option_value *v,
		    struct arena *a, Armada__QueueSpec *s, struct err *err);
/* Does an update bring the field, or the list of limits that it is one of? */
bool queue_field_given(const struct queue_field *f, const Armada__QueueSpec *s);
/* ... and this very limit? */
bool queue_field_said(const struct queue_field *f, const Armada__QueueSpec *s);
/* Shallow: lists are shared afterwards. Of a limit: the whole list. */
void queue_field_copy(const struct queue_field *f, const Armada__QueueSpec *from,
		      Armada__QueueSpec *to);
/* It is no update any more. */
void queue_spec_clear_flags(Armada__QueueSpec *s);
/* A list whose entries may hold commas: said entry by entry. */
bool queue_field_repeats(const struct queue_field *f);
