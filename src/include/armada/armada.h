/*
 * libarmada: submit, list, await and cancel jobs of an Armada cluster.
 *
 * A job is described with the names and values of asubmit's options, so a program can request
 * everything that asubmit can:
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
 * Functions return 0, or a negative errno with a sentence in err: -EINVAL for an invalid value,
 * -ENOENT, -EPERM, -EAGAIN if no controller answered or the connection broke (try again), another
 * errno if the controller refused the request or a local error occurred. Only one thread may use a
 * connection at a time. New members are added only at the end of a structure; the caller passes the
 * size that it was compiled with.
 */
#ifndef ARMADA_ARMADA_H
#define ARMADA_ARMADA_H

#include <armada/error.h>
#include <armada/events.h>
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

/* States of jobs. The numbers never change; a newer controller may send further states. */
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

/* An element of a job, or all waiting elements of an array (count is their number). */
struct armada_info {
	uint64_t job;
	uint64_t count;
	uint32_t element;
	int32_t is_array;
	int32_t state;     /* enum armada_state */
	int32_t exit_code; /* of an ended element */
	int32_t exit_signal;
	uint32_t attempt;
	int64_t submit_us, start_us, end_us; /* microseconds since 1970; 0: not yet */
	char name[256];
	char user[64];
	char queue[64];
	char reason[256];    /* why the element waits, or why it ended */
	char nodes[512];     /* node list; a longer list is cut */
	int64_t expected_us; /* the latest start; 0: not known */
	char why[32];        /* the reason why it waits as one word: "Resources" */
};

/* The position in a listing. Zero it before the first call; done is set after the last part. */
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
/* The program: a command, or the text of a script with #ARMADA lines. Exactly one of the two. */
ARMADA_API int armada_job_command(struct armada_job *job, const char *const *argv,
				  struct armada_error *err);
ARMADA_API int armada_job_script(struct armada_job *job, const char *name, const char *text,
				 size_t len, struct armada_error *err);
/*
 * Reads a job file (armada-job(5)) with its groups of tasks and the scripts that it names. Call this
 * function first: values that are set later replace those of the file.
 */
ARMADA_API int armada_job_file(struct armada_job *job, const char *path, struct armada_error *err);

/*
 * Submits count jobs in one message: all are accepted, or none. key: ARMADA_KEY_SIZE bytes that the
 * caller chooses; NULL: a random key. A call with the same key returns the same ids, so a call that
 * returned -EAGAIN can be repeated safely. The option "export" of a job selects the variables of this
 * process that are sent with it.
 */
ARMADA_API int armada_submit(struct armada *a, struct armada_job *const *jobs, size_t count,
			     const void *key, uint64_t *ret_ids, struct armada_error *err);

/*
 * Pipelining: armada_submit_send() sends a submission and does not wait for its answer, which
 * armada_submit_receive() returns: ret_ids gets as many ids as that submission has jobs. At most
 * ARMADA_IN_FLIGHT submissions may wait for their answers (-EBUSY: receive one first). Answers are returned
 * in the order of the submissions, each after its jobs are durable. A refusal concerns its submission alone;
 * later ones may be accepted. The jobs may be freed when armada_submit_send() has returned.
 *
 * -EAGAIN of both functions: the connection broke, and it is not known whether the jobs were accepted.
 * Receive the answers of the others, then repeat each such submission by armada_submit() with the key that it
 * had. -ENOENT of armada_submit_receive(): no submission waits. While one waits, the other functions that ask
 * the controller return -EBUSY.
 */
enum { ARMADA_IN_FLIGHT = 1024 };
ARMADA_API int armada_submit_send(struct armada *a, struct armada_job *const *jobs, size_t count,
				  const void *key, struct armada_error *err);
ARMADA_API int armada_submit_receive(struct armada *a, uint64_t *ret_ids, struct armada_error *err);

/* Cancels a job. A job that has ended is not changed. */
ARMADA_API int armada_cancel(struct armada *a, uint64_t job, struct armada_error *err);

/*
 * Returns a part of a listing: up to count rows of info_size bytes (sizeof(struct armada_info)). job
 * 0: the caller's own jobs that have not ended. Otherwise one job, ended or not; -ENOENT if it does
 * not exist.
 */
ARMADA_API int armada_list(struct armada *a, uint64_t job, struct armada_cursor *cursor,
			   struct armada_info *ret_list, size_t info_size, size_t count,
			   size_t *ret_count, struct armada_error *err);

/*
 * Waits for the end of a job, at most timeout_ms (then -ETIMEDOUT; -1: no limit). ret_state: the
 * worst state of its elements. ret_exit_code: the highest exit code; 128 + n for a signal n.
 */
ARMADA_API int armada_wait(struct armada *a, uint64_t job, int timeout_ms, int *ret_state,
			   int *ret_exit_code, struct armada_error *err);

#ifdef __cplusplus
}
#endif

#endif
