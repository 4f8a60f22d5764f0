/*
 * A launcher under test: whoever holds the rig is its network process, and the controller that
 * signs its orders.
 */
#pragma once

#include "box.h"

#include "armd/pipe/pipe.h"

enum { RIG_CONTROLLER = 4711, RIG_NETWORKS = 2 };

extern const uint8_t rig_cluster[16];

struct rig {
	struct box *box;
	uint8_t public_key[32], secret_key[64];
	uint8_t node_id[16];
	char boot_id[64];
	uint64_t epoch, next_seq;
	pid_t launcher;
	struct pipe *network;
	struct pipe_msg msg; /* the last one said or heard */
	int launcher_ends[RIG_NETWORKS], networks_started;
};

void rig_init(struct rig *r, struct box *b);
/* Fork a launcher; false if it does not say hello. */
bool rig_start(struct rig *r);
/* Returns its wait status. */
int rig_stop(struct rig *r, int sig);
_Noreturn void rig_be_launcher(struct rig *r);

/* Send r->msg. */
void rig_say(struct rig *r);
/* The next message of this type is in r->msg; others are dropped. False after 10 s. */
bool rig_expect(struct rig *r, enum pipe_type type);
/* The next report of this kind for this body's key, or NULL. In the box's arena. */
const Armada__Report *rig_expect_report(struct rig *r, const Armada__TaskBody *body,
					Armada__Report__Kind kind);

/* A CONTROLLER message of cluster id, with a credential of uid that names credential_id. */
void rig_controller(struct rig *r, uint32_t uid, const uint8_t id[16],
		    const uint8_t credential_id[16], uint64_t floor);
struct order rig_order(struct rig *r, const Armada__TaskBody *body, enum order_kind kind);
/* spoil: flip a bit of the signature; seal: as the pipe does it. */
void rig_send_order(struct rig *r, const struct order *o, const struct buf *body, bool spoil,
		    bool seal);
void rig_launch(struct rig *r, const Armada__TaskBody *body);
