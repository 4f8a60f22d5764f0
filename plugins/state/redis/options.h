/* The options of an engine are read and checked. */
#pragma once

#include "redis.h"

int options_read(struct engine *e, const struct armada_option_value *values,
		 struct armada_error *err);
void options_free(struct engine *e);
