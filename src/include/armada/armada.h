/*
 * libarmada: submit jobs to an Armada cluster, look at them, wait for them, cancel them.
 *
 * A job is described with the names and values of asubmit's options, so a program can ask for
 * whatever a person can:
 *
 *	struct armada *a;
 *	struct armada_job *job = armada_job_new();
 *	const char *argv[] = {"/usr/bin/python3", "train.py", NULL};
 *	uint64_t id;
 *
 *	if (armada_open(&a, NULL, &err) < 0)
 *		...
 *	armada_job_set(job, "cpus", "4", &err);
 *	armada_job_set(job, "time", "2h", &err);
 *	armada_job_command(job, argv, &err);
 *	armada_submit(a, &job, 1, NULL, &id, &err);
 *
 * Functions return 0 or a negative errno with a sentence in err: -EINVAL for a value that is not
 * taken, -ENOENT, -EPERM, -EAGAIN when no controller answered or the connection broke (try again),
 * anything else when the controller refused or it cannot work here. A connection is for one thread
 * at a time. Structures only grow at their end; the caller says how large its own is.
 */
#ifndef ARMADA_ARMADA_H
#define ARMADA_ARMADA_H

#include <armada/error.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ARMADA_API
#define ARMADA_API __attribute__((visibility("default")))
#endif

struct armada;
struct armada_job;

/* States of jobs. Numbers are for ever; a newer controller may send more of them. */
enum armada_state {
	ARMADA_PENDING = 1,
	ARMADA_CONFIGURING = 2,
	ARMADA_RUNNING = 3,
	ARMADA_COMPLETING = 4,
	ARMADA_UNKNOWN = 5,
	ARMADA_COMPLETED = 6,
	ARMADA_FAILED = 7,
	ARMADA_CANCELLED = 8,
	ARMADA_TIMEOUT = 9,
	ARMADA_PREEMPTED = 10,
	ARMADA_NODE_FAIL = 11,
	ARMADA_OUT_OF_MEMORY = 12,
};

/* An element of a job, or the waiting part of an array (count says how many that is). */
struct armada_info {
	uint64_t job;
	uint64_t count;
	uint32_t element;
	int32_t is_array;
	int32_t state;     /* enum armada_state */
	int32_t exit_code; /* of an ended one */
	int32_t exit_signal;
	uint32_t attempt;
	int64_t submit_us, start_us, end_us; /* microseconds since 1970, 0: not yet */
	char name[256];
	char user[64];
	char queue[64];
	char reason[256];    /* why it waits, or ended so */
	char nodes[512];     /* a node list; cut when longer */
	int64_t expected_us; /* when it starts at the latest, 0: not known */
	char why[32];        /* why it waits, in a word: "Resources" */
};

/* Where a listing goes on. Zero to begin; done is set after the last part. */
struct armada_cursor {
	uint64_t job;
	uint32_t element;
	uint32_t flags;
	int32_t done;
};

enum { ARMADA_KEY_SIZE = 16 };

/* conf_file NULL: $ARMADA_CONF, else the installed armada.conf. Connects. */
ARMADA_API int armada_open(struct armada **ret_armada, const char *conf_file,
			   struct armada_error *err);
ARMADA_API void armada_close(struct armada *a);

/* A new description of a job. */
ARMADA_API struct armada_job *armada_job_new(void);
ARMADA_API void armada_job_free(struct armada_job *job);
/* One of asubmit's options by its long name; value NULL for one that takes none. */
ARMADA_API int armada_job_set(struct armada_job *job, const char *option, const char *value,
			      struct armada_error *err);
/* What to run: a command, or the text of a script whose #ARMADA lines count. One of the two. */
ARMADA_API int armada_job_command(struct armada_job *job, const char *const *argv,
				  struct armada_error *err);
ARMADA_API int armada_job_script(struct armada_job *job, const char *name, const char *text,
				 size_t len, struct armada_error *err);
/*
 * Take a job file, armada-job(5), with the groups of tasks it has; scripts that it names are read too.
 * Before anything else is set: what is set afterwards takes the place of what the file says.
 */
ARMADA_API int armada_job_file(struct armada_job *job, const char *path, struct armada_error *err);

/*
 * Submit count jobs in one message: all are accepted or none. key is ARMADA_KEY_SIZE bytes of the
 * caller's own choosing: a call with the same key gives the same ids, so a call that returned
 * -EAGAIN can be repeated safely. NULL: a fresh one. The environment of this process travels with
 * the jobs as their option "export" says.
 */
ARMADA_API int armada_submit(struct armada *a, struct armada_job *const *jobs, size_t count,
			     const void *key, uint64_t *ret_ids, struct armada_error *err);

/* Cancel a job; one that has ended is left alone. */
ARMADA_API int armada_cancel(struct armada *a, uint64_t job, struct armada_error *err);

/*
 * A part of a listing: up to count rows of info_size bytes (sizeof(struct armada_info)). job 0: the
 * caller's own jobs that have not ended; else one job, ended or not, and -ENOENT for none.
 */
ARMADA_API int armada_list(struct armada *a, uint64_t job, struct armada_cursor *cursor,
			   struct armada_info *ret_list, size_t info_size, size_t count,
			   size_t *ret_count, struct armada_error *err);

/*
 * Wait for a job's end, at most timeout_ms (-1: for ever; -ETIMEDOUT). ret_state is the worst of
 * its elements, ret_exit_code the highest, 128 + n for a signal n.
 */
ARMADA_API int armada_wait(struct armada *a, uint64_t job, int timeout_ms, int *ret_state,
			   int *ret_exit_code, struct armada_error *err);

#ifdef __cplusplus
}
#endif

#endif
