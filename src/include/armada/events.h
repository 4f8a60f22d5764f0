/*
 * Job events: what happens to the jobs of a set, numbered for each set (armada-events(5)).
 *
 *	struct armada_events *e;
 *	struct armada_event ev;
 *
 *	armada_events_open(&e, NULL, "physics", "night", 0, &err);
 *	while (armada_events_next(e, &ev, sizeof(ev), -1, &err) == 0)
 *		printf("%llu: job %llu %s\n", ev.number, ev.job, ev.kind_name);
 *
 * Only the stream is needed to follow jobs: each change of a job is an event, and events are neither lost nor
 * repeated when the controller is restarted. A program that stores armada_events_position() can go on there.
 */
#ifndef ARMADA_EVENTS_H
#define ARMADA_EVENTS_H

#include <armada/error.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ARMADA_API
#define ARMADA_API __attribute__((visibility("default")))
#endif

struct armada_events;

/* Kinds of events. The numbers never change; a newer controller may send further kinds. */
enum armada_event_kind {
	ARMADA_EVENT_SUBMITTED = 1,
	ARMADA_EVENT_QUEUED = 2,
	ARMADA_EVENT_LEASED = 3,
	ARMADA_EVENT_PENDING = 4,
	ARMADA_EVENT_RUNNING = 5,
	ARMADA_EVENT_SUCCEEDED = 6,
	ARMADA_EVENT_FAILED = 7,
	ARMADA_EVENT_CANCELLING = 8,
	ARMADA_EVENT_CANCELLED = 9,
	ARMADA_EVENT_PREEMPTING = 10,
	ARMADA_EVENT_PREEMPTED = 11,
	ARMADA_EVENT_LEASE_EXPIRED = 12,
	ARMADA_EVENT_REQUEUED = 13,
	ARMADA_EVENT_REPRIORITISED = 14,
	ARMADA_EVENT_HELD = 15,
	ARMADA_EVENT_RELEASED = 16,
	ARMADA_EVENT_UPDATED = 17,
	ARMADA_EVENT_SCALED = 18,
	ARMADA_EVENT_USAGE = 19,
	ARMADA_EVENT_SUSPENDED = 20,
	ARMADA_EVENT_RESUMED = 21,
	ARMADA_EVENT_UNREACHABLE = 22,
	ARMADA_EVENT_REACHABLE = 23,
	ARMADA_EVENT_ENDING = 24,
};

struct armada_event {
	uint64_t number;
	uint64_t job;
	int64_t time_us;
	int32_t kind; /* enum armada_event_kind */
	uint32_t attempt;
	/* An event of several ranges is returned once for each. 0 to UINT32_MAX: the whole job. */
	uint32_t first_element, last_element, step;
	uint32_t uid; /* the owner of the job */
	int32_t exit_code, exit_signal;
	/* 1 error, 2 oom, 3 time limit, 4 node lost, 5 launch failed, 6 account, 7 rejected */
	int32_t category;
	int32_t fault;    /* 1 user, 2 system */
	uint64_t for_job; /* preempted for this job */
	int32_t priority;
	int32_t requeues; /* of PREEMPTED: the element is not at its end, REQUEUED follows */
	int64_t start_us, end_us, cpu_us, max_rss_bytes; /* of USAGE */
	char kind_name[24];
	char queue[64];
	char job_set[256];
	char name[256]; /* of SUBMITTED, as user */
	char user[64];
	char by[64]; /* whose request it was */
	char reason[256];
	char nodes[512];
	char for_queue[64];
};

#define ARMADA_EVENTS_NEW UINT64_MAX

/*
 * Opens the events of a job set on a connection of its own. queue NULL: the caller's. job_set NULL: the jobs
 * without one. from: the first number; 0: the oldest that is kept; ARMADA_EVENTS_NEW: what happens from now
 * on. -ENOENT: there is no such set, or the caller may not watch it.
 */
ARMADA_API int armada_events_open(struct armada_events **ret_events, const char *conf_file,
				  const char *queue, const char *job_set, uint64_t from,
				  struct armada_error *err);
/* The events of these jobs, from their first. */
ARMADA_API int armada_events_open_jobs(struct armada_events **ret_events, const char *conf_file,
				       const uint64_t *jobs, size_t count,
				       struct armada_error *err);
/*
 * Returns the next event; waits for it at most timeout_ms (then -ETIMEDOUT; -1: no limit). event_size:
 * sizeof(struct armada_event). A lost connection is no error: the call connects again and goes on with the
 * next number. To connect may take seconds.
 */
ARMADA_API int armada_events_next(struct armada_events *events, struct armada_event *ret_event,
				  size_t event_size, int timeout_ms, struct armada_error *err);
/*
 * A descriptor for poll(2), the same until armada_events_close(). It is readable when there may be more,
 * after armada_events_next() with timeout 0 has returned -ETIMEDOUT. Do not read it.
 */
ARMADA_API int armada_events_fd(const struct armada_events *events);
/*
 * 1: all events that there were when the events were opened have been returned. A program that counts jobs
 * from their events knows them all from then on.
 */
ARMADA_API int armada_events_is_current(const struct armada_events *events);
/* The number at which to go on after the last event that was returned whole. Not for open_jobs. */
ARMADA_API uint64_t armada_events_position(const struct armada_events *events);
ARMADA_API void armada_events_close(struct armada_events *events);

#ifdef __cplusplus
}
#endif

#endif
