/*
 * `actl queue`: the requests (queue.c), the options of create and update (queue_options.c), files
 * of queues (queue_file.c) and the columns of the listing (queue_columns.c). The fields of a queue
 * are the rows of conf/queue_table.h; options and columns are made from these rows.
 */
#pragma once

#include "cmd/actl/actl.h"
#include "conf/queue_text.h"

/* The options of create and update; each sets a field of actl.queue. */
extern const struct opt_table queue_options;
/* Whether the command line has a setting of a queue. */
bool queue_options_given(const struct actl *a);
/* Drops limits of "none": a new queue has no limits unless they are set. */
void queue_options_drop_absent(Armada__QueueSpec *s);

/*
 * The queues of a file in the syntax of armada.conf; "-" is standard input. Allocated in the arena.
 */
struct queue_file {
	struct conf *conf; /* queue_file_done frees it */
	Armada__QueueSpec **specs;
	size_t count;
};
int queue_file_read(const char *file, struct arena *a, struct queue_file *ret, struct err *err);
void queue_file_done(struct queue_file *f);
/* Adds the line of the file to a refusal that names a queue, a user or a group of the file. */
int queue_file_locate_error(const struct queue_file *f, int rc, struct err *err);

extern const struct listing queue_listing;

/* The verbs. */
int actl_queue_create(struct actl *a, struct err *err);
int actl_queue_update(struct actl *a, struct err *err);
int actl_queue_delete(struct actl *a, struct err *err);
int actl_queue_cordon(struct actl *a, struct err *err);
int actl_queue_list(struct actl *a, struct err *err);
/* As actl_queue_show, or as actl_queue_list if no queue is named. */
int actl_show_queue(struct actl *a, struct err *err);
int actl_queue_show(struct actl *a, struct err *err);
