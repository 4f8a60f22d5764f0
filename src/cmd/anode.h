/*
 * The parts of anode: listing (anode.c), and what is done to nodes (anode_change.c).
 */
#ifndef CMD_ANODE_H
#define CMD_ANODE_H

#include "cmd/command.h"
#include "cmd/listing.h"
#include "proto/msg.h"

struct anode {
	struct listing_request listing;
	const char *state;   /* only these; NULL: all */
	bool yes;            /* of confirm-dead: do not ask */
	bool now, no_resume; /* of reboot */
	struct connection *c;
	struct arena *arena;
	const char *const *args; /* after the verb */
	size_t count;
};

/* The names that count node lists stand for, in the arena. */
int anode_expand(const struct anode *a, const char *const *lists, size_t count, char ***ret_names,
		 size_t *ret_count, struct err *err);

int anode_drain(struct anode *a, struct err *err);
int anode_resume(struct anode *a, struct err *err);
int anode_confirm_dead(struct anode *a, struct err *err);
int anode_reboot(struct anode *a, struct err *err);
int anode_label(struct anode *a, struct err *err);
int anode_taint(struct anode *a, struct err *err);
int anode_delete(struct anode *a, struct err *err);

#endif
