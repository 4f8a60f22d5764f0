/*
 * The parts of actl: its verbs (actl.c), jobs (actl_job.c, actl_update.c), queues (actl_queue.c),
 * show (actl_show.c).
 */
#ifndef CMD_ACTL_H
#define CMD_ACTL_H

#include "client/filter.h"
#include "cmd/command.h"
#include "cmd/listing.h"
#include "util/arena.h"

/* The command line of every verb; options a verb has no use for are refused by actl.c. */
struct actl {
	struct listing_request listing;
	struct connection *c;
	struct arena *arena;
	const char *const *args; /* after the verb's words */
	size_t count;
	bool with_script, with_env, with_conf, dry_run;
	Armada__QueueSpec queue; /* queue create and update: what is said, but for the name */
	const char *file;        /* the same of many; NULL: none */
};

/* actl_queue.c */
int actl_queue_create(struct actl *a, struct err *err);
int actl_queue_update(struct actl *a, struct err *err);
int actl_queue_delete(struct actl *a, struct err *err);
int actl_queue_cordon(struct actl *a, struct err *err);
int actl_queue_uncordon(struct actl *a, struct err *err);
int actl_queue_list(struct actl *a, struct err *err);
int actl_queue_show(struct actl *a, struct err *err);
int actl_show_job(struct actl *a, struct err *err);
int actl_show_node(struct actl *a, struct err *err);
/* actl_reconfigure.c */
extern const struct listing change_listing;
int actl_reconfigure(struct actl *a, struct err *err);
/* actl_lease.c */
int actl_lease_extend(struct actl *a, struct err *err);

/* actl_job.c */
int actl_hold(struct actl *a, struct err *err);
int actl_release(struct actl *a, struct err *err);
int actl_requeue(struct actl *a, struct err *err);
int actl_requeuehold(struct actl *a, struct err *err);
/* Jobs by id, or as user=ann, queue=long, state=pending; the word "job" before them says nothing. */
int actl_select(struct filter *f, const char *const *words, size_t count, struct err *err);
/* actl_permissions.c; from the verb on. */
extern const struct opt_table actl_permissions_options;
extern const struct listing permission_listing;
int actl_permissions(int argc, char **argv, struct err *err);
/* actl_update.c; from the verb on. */
extern const struct opt_table actl_update_options;
int actl_update(int argc, char **argv, struct err *err);
/* actl_preempt.c; from the verb on. */
extern const struct opt_table actl_preempt_options;
int actl_preempt(int argc, char **argv, struct err *err);

/* Ask for something that is answered with a sentence; print it, or otherwise `done`. */
int actl_ask_ok(struct actl *a, enum msg_type type, const void *request, const char *done,
		struct err *err);

#endif
