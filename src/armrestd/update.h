/* The body of PATCH /v1/jobs/{id}. */
#pragma once

#include "cmd/actl/changes.h"

#include <jansson.h>

/* Sets the options that an object names. They borrow from root. -EINVAL with the name of the member. */
int update_read(struct changes *u, json_t *root, struct err *err);
