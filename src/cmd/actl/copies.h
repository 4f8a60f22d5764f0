/* actl copies: the copies of the log of several controllers, and which of them have to hold each record. */
#pragma once

#include "cmd/actl/actl.h"

/* The columns of the copies, as actl ping shows them; rows: Armada__CopyRow. */
extern const struct listing copies_in_ping;

int actl_copies_list(struct actl *a, struct err *err);
/* add; with a->alternate remove */
int actl_copies_change(struct actl *a, struct err *err);
