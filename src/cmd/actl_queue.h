/*
 * The parts of `actl queue`: requests (actl_queue.c), what can be said of a queue on a command line
 * (actl_queue_options.c), files of queues (actl_queue_file.c) and the columns of the listing
 * (actl_queue_columns.c). What a queue has at all is the table of conf/queue_spec.h.
 */
#ifndef CMD_ACTL_QUEUE_H
#define CMD_ACTL_QUEUE_H

#include "cmd/actl.h"
#include "conf/queue_spec.h"

/* The options of create and update; each puts its field into actl.queue. */
extern const struct opt_table queue_options;
/* Does the command line say anything of what a queue is? */
bool queue_is_said(const struct actl *a);

/* The queues of a file in the syntax of armada.conf ("-": standard input), in the arena. */
struct queue_file {
	struct conf *conf; /* queue_file_done frees it */
	Armada__QueueSpec **specs;
	size_t count;
};
int queue_file_read(const char *file, struct arena *a, struct queue_file *ret, struct err *err);
void queue_file_done(struct queue_file *f);
/* Of a refusal that names a queue of the file: say where that is. */
int queue_file_blame(const struct queue_file *f, int rc, struct err *err);

extern const struct listing queue_listing;

#endif
