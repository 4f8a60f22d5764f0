/*
 * Runs the blocking steps of a handshake on a worker's thread: making and checking credentials.
 * The result goes back to the session on the loop's thread; it is dropped if the connection has
 * ended meanwhile.
 */
#include "wire/conn_state.h"

#include "util/mem.h"

struct auth_task {
	struct worker_task task;
	struct conn *conn; /* NULL once it ended; the loop's thread only */
	atomic_bool forgotten;
	const struct armada_auth_ops *auth;
	void *handle;
	struct session_work work;
	char *credential; /* decode: to check; encode: made */
	uint8_t payload[64];
	size_t payload_len;
	uint32_t uid, gid;
	int result;
	struct armada_error error;
};

static void task_free(struct worker_task *t)
{
	struct auth_task *a = (struct auth_task *)t;

	free(a->credential);
	free(a);
}

static void task_run(struct worker_task *t)
{
	struct auth_task *a = (struct auth_task *)t;

	if (atomic_load(&a->forgotten))
		return;
	if (a->work.kind == SESSION_WORK_ENCODE)
		a->result = a->auth->encode(a->handle, a->work.payload, sizeof(a->work.payload),
					    a->work.for_uid, &a->credential, &a->error);
	else
		a->result =
			a->auth->decode(a->handle, a->credential, a->payload, sizeof(a->payload),
					&a->payload_len, &a->uid, &a->gid, &a->error);
}

static void task_done(struct worker_task *t)
{
	struct auth_task *a = (struct auth_task *)t;
	struct conn *c = a->conn;

	if (c) {
		c->task = NULL;
		if (a->result)
			session_work_failed(c->session, a->result, a->error.text);
		else if (a->work.kind == SESSION_WORK_ENCODE)
			session_encoded(c->session, a->credential);
		else
			session_decoded(c->session, a->payload, a->payload_len, a->uid, a->gid);
		conn_progress(c);
	}
	task_free(t);
}

void auth_start(struct conn *c, const struct session_work *w)
{
	struct auth_task *a = xcalloc(1, sizeof(*a));

	a->task = (struct worker_task){.run = task_run, .done = task_done, .drop = task_free};
	a->conn = c;
	a->auth = c->net->auth;
	a->handle = c->net->auth_handle;
	a->work = *w;
	a->work.credential = NULL;
	a->credential = xstrdup(w->credential);
	c->task = a;
	workers_give(c->net->workers, &a->task);
}

void auth_forget(struct conn *c)
{
	if (!c->task)
		return;
	atomic_store(&c->task->forgotten, true);
	c->task->conn = NULL;
	c->task = NULL;
}
