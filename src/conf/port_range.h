/*
 * A range of ports, as "60000-61000" or "60000". Port 0 and those below 1024, which only root may use, are in
 * none.
 */
#pragma once

#include "util/err.h"

#include <stdint.h>

struct port_range {
	uint16_t first, last;
};

/* -EINVAL: it is none; err has the accepted form. */
int port_range_parse(const char *text, struct port_range *ret, struct err *err);
