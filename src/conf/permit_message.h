/* Conversion between the message Permission and struct permit. */
#pragma once

#include "conf/permit.h"
#include "proto/msg.h"

/* A new message in the arena, which shares no memory with p. */
Armada__Permission *permit_message(const struct permit *p, struct arena *a);
/* From a message of a peer, with all checks. */
int permit_of_message(const Armada__Permission *m, struct permit *ret_permit, struct err *err);
/* From a stored message: the parts that this release knows. It may have no verb, or a user without a name. */
void permit_take_known(const Armada__Permission *m, struct permit *ret_permit);
/*
 * A whole list; two entries of one subject are an error. ret_list: new, freed by the caller; NULL if empty.
 */
int permits_of_messages(Armada__Permission *const *list, size_t count, struct permit **ret_list,
			struct err *err);
