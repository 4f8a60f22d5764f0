/*
 * A thread that asks the controller about one job and sends updates through a pipe.
 *
 * While the job is pending, the thread asks for its reason every POLL_MS. Then it waits for the end
 * of the job with one request. If no controller answers, it asks again without limit. An update
 * that equals the last one is not sent. An update is smaller than PIPE_BUF, so that the pipe takes
 * it whole or not at all.
 */
#include "cmd/arun/watch.h"

#include "client/connection.h"
#include "client/jobstate.h"
#include "util/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { POLL_MS = 500, RETRY_MS = 1000 };

struct watch {
	uint64_t job;
	pthread_t thread;
	int fds[2];
	struct connection *connection;
	struct watch_update last;
	bool ended; /* used by the reader: the thread has sent its last update */
};

static void send_update(struct watch *w, const struct watch_update *news)
{
	ssize_t n;

	if (w->last.kind == news->kind && strcmp(w->last.text, news->text) == 0)
		return;
	w->last = *news;
	/* less than PIPE_BUF: the pipe takes it whole or not at all */
	n = write(w->fds[1], news, sizeof(*news));
	(void)n;
}

static void send_text(struct watch *w, enum watch_kind kind, const char *text)
{
	struct watch_update news = {.kind = kind};

	snprintf(news.text, sizeof(news.text), "%s", text);
	send_update(w, &news);
}

/* Asks once; true while the job is pending. */
static bool poll_pending(struct watch *w, struct arena *arena)
{
	Armada__ListJobsRequest request = ARMADA__LIST_JOBS_REQUEST__INIT;
	Armada__JobFilter filter = ARMADA__JOB_FILTER__INIT;
	Armada__JobRange id = ARMADA__JOB_RANGE__INIT, *ids[] = {&id};
	const Armada__ListJobsReply *reply;
	struct err err = {{0}};
	int rc;

	id.first = id.last = w->job;
	filter.ids = ids;
	filter.n_ids = 1;
	request.filter = &filter;
	rc = connection_ask(w->connection, MSG_LIST_JOBS, &request, MSG_LIST_JOBS_REPLY, arena, 0,
			    &reply, &err);
	if (rc == -EAGAIN) {
		send_text(w, WATCH_UNREACHABLE, err.text);
		sleep_ms(RETRY_MS);
		return true;
	}
	if (rc < 0 || reply->n_rows == 0 || reply->rows[0]->state != ARMADA__JOB_STATE__JOB_PENDING)
		return false;
	send_text(w, WATCH_PENDING, reply->rows[0]->reason);
	sleep_ms(POLL_MS);
	return true;
}

static int wait_for_end(struct watch *w, struct arena *arena)
{
	Armada__WaitJobRequest request = ARMADA__WAIT_JOB_REQUEST__INIT;
	struct watch_update news = {.kind = WATCH_ENDED, .exit_code = 1};
	const Armada__WaitJobReply *end;
	struct err err = {{0}};
	int rc;

	request.job = w->job;
	rc = connection_ask(w->connection, MSG_WAIT_JOB, &request, MSG_WAIT_JOB_REPLY, arena, -1,
			    &end, &err);
	if (rc == -EAGAIN) {
		send_text(w, WATCH_UNREACHABLE, err.text);
		sleep_ms(RETRY_MS);
		return rc;
	}
	if (rc == 0) {
		news.state = end->state;
		news.exit_code = job_exit_code(end);
		snprintf(news.text, sizeof(news.text), "%s", end->reason);
	} else {
		snprintf(news.text, sizeof(news.text), "%s", err.text);
	}
	send_update(w, &news);
	return 0;
}

static void *run(void *arg)
{
	struct watch *w = arg;
	struct arena *arena = arena_new(0);

	while (poll_pending(w, arena))
		arena_clear(arena);
	send_text(w, WATCH_RUNNING, "");
	do {
		arena_clear(arena);
	} while (wait_for_end(w, arena) < 0);
	arena_free(arena);
	connection_close(w->connection);
	return NULL;
}

int watch_start(struct watch **ret_watch, uint64_t job, struct err *err)
{
	struct watch *w = xcalloc(1, sizeof(*w));
	sigset_t all, old;
	int rc;

	w->job = job;
	rc = connection_new(&w->connection, NULL, err);
	if (rc == 0 && pipe2(w->fds, O_CLOEXEC | O_NONBLOCK) < 0)
		rc = err_sys(err, -errno, "pipe");
	if (rc < 0) {
		connection_free(w->connection);
		free(w);
		return rc;
	}
	w->last.kind = WATCH_ENDED;
	/* the main thread handles all signals */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = -pthread_create(&w->thread, NULL, run, w);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (rc < 0)
		return err_sys(err, rc, "cannot start a thread");
	*ret_watch = w;
	return 0;
}

void watch_stop(struct watch *w)
{
	/* a thread that waits for an answer ends with the process */
	if (!w->ended || pthread_join(w->thread, NULL) != 0)
		return;
	connection_free(w->connection);
	close(w->fds[0]);
	close(w->fds[1]);
	free(w);
}

int watch_fd(const struct watch *w)
{
	return w->fds[0];
}

bool watch_read(struct watch *w, struct watch_update *ret_update)
{
	if (read(w->fds[0], ret_update, sizeof(*ret_update)) != sizeof(*ret_update))
		return false;
	w->ended = ret_update->kind == WATCH_ENDED;
	return true;
}
