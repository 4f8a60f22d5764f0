/* The two threads of a controller that wait for the store. */
#pragma once

#include "asim/replicated/controller.h"

/* Opens, follows, leads, appends: the follower and the commit thread of armctld, one after the other. */
void controller_main(struct controller *c);
/* Announces, renews the lease, looks at the copies: the announcer. */
void controller_side(struct controller *c);
