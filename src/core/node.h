/*
 * What the core decides about nodes: their states, leases, the proofs that what ran there has ended,
 * and what is to become of a node that fails.
 *
 * A task of a silent node is neither running nor ended for the controller. It ends, and may run
 * again, only by one of the six proofs of proof.c; nothing else ends a task.
 */
#ifndef CORE_NODE_H
#define CORE_NODE_H

#include "core/machine.h"

/* proof.c: how it is known that a task has ended and will not run any more. */
enum proof {
	PROOF_END,     /* the node reported its end */
	PROOF_REFUSAL, /* the node has refused it for good, durably, before it said so */
	PROOF_BOOT,    /* its machine was restarted since */
	PROOF_ADMIN,   /* an administrator answers for it */
	PROOF_FENCE,   /* the site's program has proved the power off since */
	PROOF_LEASE,   /* its lease is over, and its shepherd has ended it by that */
	PROOF_COUNT,
};
/* The task ended as the node says; REFUSAL and END only. */
void proof_report(struct core *c, struct task *t, const Armada__TaskEnd *end);
/*
 * Every task of the node that has not ended and that `which` names has ended by this proof. Returns
 * how many. text: of the end.
 */
uint32_t proof_ends(struct core *c, struct node *n, enum proof p,
		    bool (*which)(const struct core *c, const struct task *t, const void *arg),
		    const void *arg, const char *text);
/* Tasks that were ordered and have not ended: what a proof is needed for. */
uint32_t node_live(const struct node *n);
bool task_is_live(const struct core *c, const struct task *t, const void *arg);

/* node_life.c */
void node_event(struct core *c, struct node *n, enum node_event ev, const char *reason,
		const char *by);
void node_lost(struct core *c, struct node *n, const char *reason);
uint64_t node_floor(const struct core *c, const struct node *n);
/* Drained, and whose words are these? */
bool node_is_drained_by(const struct node *n, const char *by);
/* It could not start the job, and that is nobody's fault but the node's; or it could. */
void node_failed(struct core *c, struct node *n, uint64_t job, const char *text);
void node_did_well(struct node *n);
/* Does armada.conf let it join? */
bool node_is_expected(const struct core *c, const char *name);
/* What armada.conf expects of it, against what it has. */
void node_hold_to_promise(struct core *c, struct node *n);
/* Silence, leases, fences, reboots: what has come of time. */
void node_look_at_clock(struct core *c, struct node *n);

/* node_lease.c. Steady time; 0: its tasks have no such time. */
int64_t lease_ms_of(const struct core *c, const struct job *j);
int64_t element_lease_us(const struct core *c, const struct element *e);
int64_t lease_over_us(const struct core *c, const struct node *n, const struct element *e);
/* How much longer leases hold than now, by an extension; for the node. */
int64_t node_extension_ms(const struct core *c, const struct node *n);
void node_leases_tick(struct core *c, struct node *n);

/* node_fence.c */
void node_fence_tick(struct core *c, struct node *n);

/* node_reboot.c */
void node_reboot_ask(struct core *c, struct node *n, const Armada__UpdateNodeRequest *m,
		     const char *by);
void node_reboot_forget(struct core *c, struct node *n);
/* It registered under another boot id. */
void node_reboot_done(struct core *c, struct node *n);
void node_reboot_tick(struct core *c, struct node *n);

/* node_leave.c: it says, or does not, that its machine is being shut down: nothing is started there. */
void node_take_leaving(struct core *c, struct node *n, bool leaving);

/* orders.c */
/* The controller has just heard of the node: its leases count anew. */
void order_lease(struct core *c, const struct node *n);
void order_reboot(struct core *c, const struct node *n);

/* node_health.c: what it says with a heartbeat (NULL: nothing), and with the end of a task ("": nothing). */
void node_take_health(struct core *c, struct node *n, const Armada__NodeHealth *health);
void node_take_problem(struct core *c, struct node *n, const char *text);

/* node_labels.c: layers of labels and taints. m: as it registers; NULL: as it last did. */
void node_emit_set(struct core *c, struct node *n, const Armada__RegisterNode *m);
/* Set or remove by hand; 0, or an error with a sentence. */
int node_may_relabel(struct core *c, const struct node *n, const Armada__UpdateNodeRequest *m,
		     struct err *err);
void node_relabel(struct core *c, struct node *n, const Armada__UpdateNodeRequest *m);

/* avoid.c */
void avoids_tick(struct core *c);
/*
 * What the job of e avoids, and those of the named nodes that e is on, until then. A new list in the arena
 * of the input.
 */
Armada__Avoided **avoids_with(struct core *c, const struct element *e, char *const *nodes,
			      size_t node_count, int64_t until_us, size_t *ret_count);
const char *avoids_text(const struct job *j, struct arena *a);

#endif
