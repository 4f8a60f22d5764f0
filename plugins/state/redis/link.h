/* A link: the primary is found, checked and connected, and the replicas are looked at. */
#pragma once

#include "conn.h"

/*
 * Connects if there is no good connection, and checks server and data. ret_head (NULL: not wanted): the
 * head as it is now.
 */
int link_ready(struct link *l, struct head *ret_head, struct armada_error *err);
/* As link_ready, for a store that may be empty. */
int link_connect(struct link *l, struct armada_error *err);
void link_close(struct link *l);
/*
 * Asks each connected replica that is not known to be good whether it holds all that it gets on disk. After a
 * full resync, which the primary counts, none is known to be.
 */
void link_look(struct link *l, uint64_t full_syncs, const bool connected[COPIES_MAX]);
/* The index of a server among the options; server_count: unknown. */
size_t server_index(const struct engine *e, const char *name);
