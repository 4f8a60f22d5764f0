/* Permissions as the schema carries them (Permission), to and from struct permit. */
#pragma once

#include "conf/permit.h"
#include "proto/msg.h"

/* A message in the arena that shares no memory with p. */
Armada__Permission *permit_message(const struct permit *p, struct arena *a);
/* Whatever a peer sent: refused with a sentence where it is no permission. */
int permit_of_message(const Armada__Permission *m, struct permit *ret_permit, struct err *err);
/* What of it this release knows, which may be no verb at all, or a user without a name: nobody. */
void permit_take_known(const Armada__Permission *m, struct permit *ret_permit);
/*
 * A whole list, refused where two are of one subject. ret_list: new, of the caller to free; NULL where
 * there are none.
 */
int permits_of_messages(Armada__Permission *const *list, size_t count, struct permit **ret_list,
			struct err *err);
