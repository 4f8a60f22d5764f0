/*
 * What happens with a specification that is complete: it is sent, and waited for.
 */
#pragma once

#include "cmd/asubmit.h"

/*
 * Submit, trying again with the same key while nobody answers; say the id; wait if asked. Returns
 * the exit code of the command or a negative errno.
 */
int asubmit_send(const struct request *r, struct connection *c, struct spec *s, struct err *err);
