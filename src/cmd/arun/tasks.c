/*
 * The tasks of a run: frames from their stubs, and frames that are sent to them.
 *
 * The stub of a task sends output and the end of the task; arun sends BEGIN, signals and window
 * sizes. A task whose connection breaks before its end counts as lost, with exit code 1. The exit
 * code of the run is the highest of all tasks.
 */
#include "cmd/arun/tasks.h"

#include "util/le.h"
#include "util/mem.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static bool has_ended(const struct run_task *t)
{
	return t->state == TASK_ENDED || t->state == TASK_LOST;
}

static void report_end(struct run *r, const struct run_task *t)
{
	if (t->words)
		run_print(r, "task %u on %s: %s", t->rank, t->node, t->words);
	else if (t->signal && !(r->stop && t->signal == r->stop) &&
		 !(r->fence.over && t->signal == SIGTERM))
		run_print(r, "task %u on %s: %s", t->rank, t->node, strsignal(t->signal));
	else if (t->exit_code && r->links.count > 1)
		run_print(r, "task %u on %s: exited with code %d", t->rank, t->node, t->exit_code);
}

/*
 * Copies text of another machine; control characters become "?", because it is printed on the
 * terminal.
 */
static char *clean_text(const uint8_t *text, size_t len)
{
	char *copy = xstrndup((const char *)text, len);

	for (char *p = copy; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	return copy;
}

static void close_task_outputs(struct run_task *t)
{
	t->out.ended = t->err.ended = true;
}

static void ended(struct run *r, struct run_task *t, const struct stream_frame *f)
{
	t->exit_code = (int)((uint32_t)le_get(f->body, 4) & 0xff);
	t->signal = (int)((uint32_t)le_get(f->body + 4, 4) & 0x7f);
	if (f->len > 8)
		t->words = clean_text(f->body + 8, f->len - 8);
	t->state = TASK_ENDED;
	close_task_outputs(t);
	if (!r->plan->quiet)
		report_end(r, t);
	fence_task_gone(r, t, t->signal ? 128 + t->signal : t->exit_code);
	if (r->plan->kill_on_bad_exit && (t->exit_code || t->signal)) {
		if (!tasks_all_ended(r) && !r->ending_reported)
			run_print(r, "ending the other tasks");
		r->ending_reported = true;
		tasks_signal(r, SIGTERM);
	}
}

void tasks_connection_lost(struct run *r, struct run_task *t)
{
	link_close(&t->link);
	if (has_ended(t))
		return;
	t->state = TASK_LOST;
	t->exit_code = 1;
	close_task_outputs(t);
	/*
	 * when a node ends a task, it also ends the stub; for a job of its own the final state
	 * explains it
	 */
	if (r->plan->mpi)
		fence_task_lost(r, t);
	else if (!r->plan->watch && !r->cancelled)
		run_print(r, "task %u on %s: the connection was lost, or the job has ended",
			  t->rank, t->node);
}

static void handle_frame(struct run *r, struct run_task *t, const struct stream_frame *f)
{
	switch (f->type) {
	case STREAM_STDOUT:
		buf_add(&t->out.text, f->body, f->len);
		break;
	case STREAM_STDERR:
		buf_add(&t->err.text, f->body, f->len);
		break;
	case STREAM_ENDED:
		ended(r, t, f);
		break;
	case STREAM_FENCE:
		if (!fence_receive(r, t, f))
			tasks_connection_lost(r, t);
		break;
	case STREAM_ABORT:
		fence_abort(r, t, f);
		break;
	}
}

void tasks_receive(struct run *r, struct run_task *t)
{
	struct stream_frame f;

	while (!has_ended(t) && stream_next(t->link.stream, &f) > 0)
		handle_frame(r, t, &f);
	if (t->link.stream && stream_state(t->link.stream) == STREAM_FAILED)
		tasks_connection_lost(r, t);
}

void tasks_start(struct run *r)
{
	r->started = true;
	if (r->plan->pty)
		tty_raw(&r->tty, 0);
	tasks_resize(r);
	fence_send_nodes(r);
	for (uint32_t i = 0; i < r->links.count; i++) {
		struct run_task *t = &r->links.tasks[i];

		if (t->state != TASK_CONNECTED)
			continue;
		t->state = TASK_RUNNING;
		stream_send(t->link.stream, STREAM_BEGIN, NULL, 0);
		t->input_ended = r->plan->input == INPUT_NONE ||
				 (r->plan->input == INPUT_ONE && r->plan->input_rank != i);
		if (t->input_ended)
			stream_send(t->link.stream, STREAM_STDIN_END, NULL, 0);
	}
}

void tasks_signal(struct run *r, int sig)
{

	uint8_t body[4];

	le_put(body, (uint32_t)sig, 4);
	for (uint32_t i = 0; i < r->links.count; i++)
		if (r->links.tasks[i].state == TASK_RUNNING)
			stream_send(r->links.tasks[i].link.stream, STREAM_SIGNAL, body,
				    sizeof(body));
}

void tasks_resize(struct run *r)
{
	uint8_t body[8];

	tty_size(0, body);
	for (uint32_t i = 0; r->plan->pty && i < r->links.count; i++)
		if (r->links.tasks[i].link.stream)
			stream_send(r->links.tasks[i].link.stream, STREAM_SIZE, body, sizeof(body));
}

bool tasks_all_ended(const struct run *r)
{
	for (uint32_t i = 0; i < r->links.count; i++)
		if (!has_ended(&r->links.tasks[i]))
			return false;
	return true;
}

int tasks_exit_code(const struct run *r)
{
	int highest = 0;

	if (r->fence.over)
		return r->fence.code;
	for (uint32_t i = 0; i < r->links.count; i++) {
		const struct run_task *t = &r->links.tasks[i];
		int code = t->signal ? 128 + t->signal : t->exit_code;

		if (code > highest)
			highest = code;
	}
	return highest;
}

/* A quarter of the window in one line: the task must not wait for the end of the line. */
static bool task_output_full(const struct run *r, const struct task_output *p)
{
	return p->text.len >= r->links.window / 4;
}

void tasks_fill_sink(struct run *r, bool errors)
{
	struct sink *s = errors ? &r->err : &r->out;

	for (uint32_t i = 0; i < r->links.count && s->out.len < STREAM_DATA_MAX; i++) {
		struct run_task *t = &r->links.tasks[i];
		struct task_output *p = errors ? &t->err : &t->out;
		size_t n = sink_fill(s, p, i, task_output_full(r, p));

		if (n && t->link.stream && stream_state(t->link.stream) == STREAM_OPEN)
			stream_consumed(t->link.stream, n);
	}
}
