/*
 * Fences of a step with MPI (fence.h). Input: frames FENCE and ABORT of the tasks, and their ends. Output:
 * frames NODES, MERGED and FENCED; the end of the step.
 *
 * Flow control: the data of all ranks is stored once. Each task gets it in parts, the next one when its
 * connection has taken the last, so that many tasks and much data do not multiply. A fence completes only
 * when every task has arrived, so the data of the one before is no longer needed then.
 */
#include "cmd/arun/fence.h"

#include "cmd/arun/node_blocks.h"
#include "cmd/arun/run.h"
#include "cmd/arun/tasks.h"
#include "client/connection.h"
#include "util/le.h"
#include "util/mem.h"
#include "util/plural.h"

#include <armada/mpi.h>

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FEED_MAX = 256 << 10, BLOCK = 12, BLOCKS_MAX = STREAM_DATA_MAX / BLOCK };

void fence_send_nodes(struct run *r)
{
	CLEANUP_FREE const char **nodes = xcalloc(r->links.count + 1, sizeof(*nodes));
	CLEANUP_FREE struct node_block *blocks = xcalloc(BLOCKS_MAX, sizeof(*blocks));
	uint8_t body[BLOCKS_MAX * BLOCK];
	size_t count;

	if (!r->plan->mpi)
		return;
	for (uint32_t i = 0; i < r->links.count; i++)
		nodes[i] = r->links.tasks[i].node;
	count = node_blocks(nodes, r->links.count, blocks, BLOCKS_MAX);
	for (size_t i = 0; i < count; i++) {
		le_put(body + i * BLOCK, blocks[i].node, 4);
		le_put(body + i * BLOCK + 4, blocks[i].nodes, 4);
		le_put(body + i * BLOCK + 8, blocks[i].ranks, 4);
	}
	for (uint32_t i = 0; count && i < r->links.count; i++)
		if (r->links.tasks[i].state == TASK_CONNECTED)
			stream_send(r->links.tasks[i].link.stream, STREAM_NODES, body,
				    count * BLOCK);
}

/* Ends the step, once: the first reason counts. */
static void end_step(struct run *r, const struct run_task *t, int code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
static void end_step(struct run *r, const struct run_task *t, int code, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	if (r->fence.over || r->cancelled || r->stop || r->job_ended)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	run_print(r, "task %u on %s: %s; all tasks are ended", t->rank, t->node, text);
	r->fence.over = true;
	r->fence.code = code ? code : 1;
	r->fence.over_ms = steady_ms();
	tasks_signal(r, SIGTERM);
}

/* Tasks that wait in a fence for a task that has ended would wait forever. */
static void check_gone(struct run *r)
{
	const struct fence *f = &r->fence;

	if (f->gone && f->arrived)
		end_step(r, f->first_gone, f->gone_code,
			 "it has ended, but %u other %s for it in MPI", f->arrived,
			 plural(f->arrived, "task waits", "tasks wait"));
}

/* Everybody has arrived: put the data together, in the order of the ranks. */
static void complete(struct run *r)
{
	struct fence *f = &r->fence;
	size_t sum = 0;

	for (uint32_t i = 0; i < r->links.count; i++)
		sum += r->links.tasks[i].fence.data.len;
	if (sum > ARMADA_MPI_FENCED_MAX) {
		end_step(r, &r->links.tasks[0], 1,
			 "the tasks exchange more than %d MB in a fence of MPI",
			 ARMADA_MPI_FENCED_MAX >> 20);
		return;
	}
	buf_done(&f->merged);
	for (uint32_t i = 0; i < r->links.count; i++) {
		struct task_fence *t = &r->links.tasks[i].fence;

		if (t->data.len)
			buf_add(&f->merged, t->data.data, t->data.len);
		buf_done(&t->data);
		*t = (struct task_fence){.receiving = true};
	}
	f->arrived = 0;
}

bool fence_receive(struct run *r, struct run_task *t, const struct stream_frame *f)
{
	struct task_fence *own = &t->fence;

	if (!r->plan->mpi || own->arrived || own->receiving || f->body[0] > 1 ||
	    own->data.len + f->len - 1 > ARMADA_MPI_FENCE_MAX)
		return false;
	if (f->len > 1)
		buf_add(&own->data, f->body + 1, f->len - 1);
	if (!f->body[0])
		return true;
	own->arrived = true;
	r->fence.arrived++;
	check_gone(r);
	if (r->fence.arrived == r->links.count)
		complete(r);
	return true;
}

void fence_abort(struct run *r, struct run_task *t, const struct stream_frame *f)
{
	char text[STREAM_TEXT_MAX + 1];
	size_t len = f->len - 4;

	for (size_t i = 0; i < len; i++)
		text[i] = (char)(f->body[4 + i] >= ' ' && f->body[4 + i] < 0x7f ? f->body[4 + i]
										: '?');
	text[len] = '\0';
	if (r->plan->mpi)
		end_step(r, t, (int)(le_get(f->body, 4) & 0xff), "%s", text);
}

void fence_feed(struct run *r, struct run_task *t)
{
	struct task_fence *own = &t->fence;

	while (own->receiving && stream_out(t->link.stream)->len < FEED_MAX) {
		size_t left = r->fence.merged.len - own->sent;
		size_t part = left < STREAM_DATA_MAX ? left : STREAM_DATA_MAX;

		if (part) {
			stream_send(t->link.stream, STREAM_MERGED, r->fence.merged.data + own->sent,
				    part);
		} else {
			stream_send(t->link.stream, STREAM_FENCED, NULL, 0);
			own->receiving = false;
		}
		own->sent += part;
	}
}

void fence_task_gone(struct run *r, struct run_task *t, int code)
{
	if (!r->plan->mpi)
		return;
	if (r->fence.gone++ == 0) {
		r->fence.first_gone = t;
		r->fence.gone_code = code;
	}
	check_gone(r);
}

void fence_task_lost(struct run *r, struct run_task *t)
{
	if (r->started)
		end_step(r, t, 1, "the connection was lost, or the job has ended");
}
