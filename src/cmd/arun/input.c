/* Reads standard input and sends it to the tasks that take input. */
#include "cmd/arun/input.h"

#include <errno.h>
#include <unistd.h>

static bool takes_input(const struct run_task *t)
{
	return t->state == TASK_RUNNING && !t->input_ended;
}

/* The bytes that fit into the window of every task that takes input; 0 if no task takes input. */
static size_t room(const struct run *r)
{
	size_t least = STREAM_DATA_MAX;
	bool any = false;

	for (uint32_t i = 0; i < r->links.count; i++) {
		const struct run_task *t = &r->links.tasks[i];
		size_t n;

		if (!takes_input(t))
			continue;
		any = true;
		n = stream_room(t->link.stream);
		if (n < least)
			least = n;
	}
	return any ? least : 0;
}

bool input_wanted(struct run *r)
{
	return r->started && !r->stdin_ended && room(r) > 0 && tty_is_ours(STDIN_FILENO);
}

static void end(struct run *r)
{
	r->stdin_ended = true;
	for (uint32_t i = 0; i < r->links.count; i++) {
		struct run_task *t = &r->links.tasks[i];

		if (!takes_input(t))
			continue;
		t->input_ended = true;
		stream_send(t->link.stream, STREAM_STDIN_END, NULL, 0);
	}
}

void input_read(struct run *r)
{
	uint8_t chunk[STREAM_DATA_MAX];
	size_t max = room(r);
	ssize_t n = max ? read(STDIN_FILENO, chunk, max) : -1;

	if (max == 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
		return;
	if (n <= 0) {
		end(r);
		return;
	}
	for (uint32_t i = 0; i < r->links.count; i++)
		if (takes_input(&r->links.tasks[i]))
			stream_send(r->links.tasks[i].link.stream, STREAM_STDIN, chunk, (size_t)n);
}
