/*
 * Runs a launcher under test. The test takes the part of its network process, and of the controller
 * that signs orders.
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
	struct pipe_msg msg; /* the last message that was sent or received */
	int launcher_ends[RIG_NETWORKS], networks_started;
};

void rig_init(struct rig *r, struct box *b);
/* Forks a launcher; false if it sends no hello. */
bool rig_start(struct rig *r);
/* Ends the launcher with a signal; returns its wait status. */
int rig_stop(struct rig *r, int sig);
_Noreturn void rig_be_launcher(struct rig *r);

/* Sends r->msg. */
void rig_say(struct rig *r);
/*
 * Waits for the next message of this type and puts it into r->msg; others are dropped. False after
 * 10 s.
 */
bool rig_expect(struct rig *r, enum pipe_type type);
/*
 * Waits for the next report of this kind for the key of this body; NULL after 10 s. It is in the
 * arena of the box.
 */
const Armada__Report *rig_expect_report(struct rig *r, const Armada__TaskBody *body,
					Armada__Report__Kind kind);

/* Sends a CONTROLLER message of cluster id, with a credential of uid that names credential_id. */
void rig_controller(struct rig *r, uint32_t uid, const uint8_t id[16],
		    const uint8_t credential_id[16]);
/* A lease order with this floor, of the epoch of the rig. */
struct order rig_floor(struct rig *r, uint64_t floor);
struct order rig_order(struct rig *r, const Armada__TaskBody *body, enum order_kind kind);
/*
 * Sends an order. spoil: a bit of the signature is flipped; seal: the memfd of the body is sealed.
 */
void rig_send_order(struct rig *r, const struct order *o, const struct buf *body, bool spoil,
		    bool seal);
void rig_launch(struct rig *r, const Armada__TaskBody *body);
