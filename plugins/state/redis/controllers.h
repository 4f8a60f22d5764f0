/* What controllers say about themselves. */
#pragma once

#include "redis.h"

int controllers_announce(void *handle, const struct armada_replica_controller *self,
			 struct armada_error *err);
int controllers_list(void *handle, armada_replica_controller_fn *on_controller, void *arg,
		     struct armada_error *err);
void controllers_forget(struct engine *e);
