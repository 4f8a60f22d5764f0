/*
 * The connections of the io stubs, and the state of each task.
 *
 * Any host may connect to a listener. A new connection is unauthenticated: it is one of at most
 * UNAUTHENTICATED_MAX, is read in small parts, and is dropped after AUTHENTICATE_MS, or after SILENT_MS
 * if it has sent no valid hello and a new one needs its place. A stub sends its hello at once, so it is
 * usually read when the connection is accepted. The stub proves that it has the key (stub/stream.h). Its
 * first frame names its rank, and assign_link() moves the connection to that task.
 */
#include "cmd/arun/links.h"

#include "util/mem.h"
#include "wire/address.h"

#include <errno.h>
#include <sodium.h>
#include <sys/socket.h>
#include <unistd.h>

enum { READ_SIZE = 64 << 10, UNAUTHENTICATED_READ = 1024, WINDOWS_BYTES = 64 << 20 };

/* arun may have to store the windows of all tasks, so the sum of the windows is bounded. */
static uint32_t window_for(uint32_t tasks)
{
	uint32_t each = WINDOWS_BYTES / (tasks ? tasks : 1);

	if (each < STREAM_WINDOW_MIN)
		return STREAM_WINDOW_MIN;
	return each < STREAM_WINDOW_MAX ? each : STREAM_WINDOW_MAX;
}

void links_init(struct links *l, const struct listeners *listeners, const uint8_t *key,
		uint32_t tasks)
{
	*l = (struct links){.listeners = listeners,
			    .key = key,
			    .window = window_for(tasks),
			    .tasks = xcalloc(tasks, sizeof(*l->tasks)),
			    .count = tasks};
	for (uint32_t i = 0; i < tasks; i++)
		l->tasks[i] = (struct run_task){.rank = i, .link.fd = -1};
}

void link_close(struct link *k)
{
	stream_free(k->stream);
	if (k->fd >= 0)
		close(k->fd);
	*k = (struct link){.fd = -1};
}

void links_done(struct links *l)
{
	while (l->unauthenticated_count)
		link_close(&l->unauthenticated[--l->unauthenticated_count]);
	for (uint32_t i = 0; l->tasks && i < l->count; i++) {
		link_close(&l->tasks[i].link);
		buf_done(&l->tasks[i].out.text);
		buf_done(&l->tasks[i].err.text);
		free(l->tasks[i].words);
		buf_done(&l->tasks[i].fence.data);
	}
	free(l->tasks);
	l->tasks = NULL;
}

static void drop(struct links *l, size_t i)
{
	link_close(&l->unauthenticated[i]);
	l->unauthenticated[i] = l->unauthenticated[--l->unauthenticated_count];
	l->dropped++;
}

/* The oldest connection without a valid hello; unauthenticated_count if there is none. */
static size_t oldest_silent(const struct links *l)
{
	size_t oldest = l->unauthenticated_count;

	for (size_t i = 0; i < l->unauthenticated_count; i++)
		if (stream_state(l->unauthenticated[i].stream) == STREAM_HELLO &&
		    (oldest == l->unauthenticated_count ||
		     l->unauthenticated[i].since_ms < l->unauthenticated[oldest].since_ms))
			oldest = i;
	return oldest;
}

/* When a new connection can be accepted: 0 at once; INT64_MAX not before one expires. */
static int64_t room_ms(const struct links *l)
{
	size_t i;

	if (l->unauthenticated_count < UNAUTHENTICATED_MAX)
		return 0;
	i = oldest_silent(l);
	return i < l->unauthenticated_count ? l->unauthenticated[i].since_ms + SILENT_MS
					    : INT64_MAX;
}

bool links_have_room(const struct links *l, int64_t now_ms)
{
	return room_ms(l) <= now_ms;
}

void links_accept(struct links *l, int listener, int64_t now_ms)
{
	uint8_t random[HELLO_RANDOM];
	int fd;

	while (links_have_room(l, now_ms) &&
	       (fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
		if (l->unauthenticated_count == UNAUTHENTICATED_MAX)
			drop(l, oldest_silent(l));
		address_tune(fd, AF_INET);
		randombytes_buf(random, sizeof(random));
		l->unauthenticated[l->unauthenticated_count++] =
			(struct link){fd, stream_new_arun(l->key, l->window, random), now_ms};
		links_read_unauthenticated(l, l->unauthenticated_count - 1);
	}
}

int64_t links_expire(struct links *l, int64_t now_ms)
{
	int64_t next_ms = 0, room_at_ms;

	for (size_t i = l->unauthenticated_count; i-- > 0;)
		if (now_ms - l->unauthenticated[i].since_ms >= AUTHENTICATE_MS)
			drop(l, i);
	for (size_t i = 0; i < l->unauthenticated_count; i++) {
		int64_t at_ms = l->unauthenticated[i].since_ms + AUTHENTICATE_MS;

		if (next_ms == 0 || at_ms < next_ms)
			next_ms = at_ms;
	}
	room_at_ms = room_ms(l);
	return room_at_ms > now_ms && room_at_ms < next_ms ? room_at_ms : next_ms;
}

static bool read_some(struct link *k, size_t max)
{
	uint8_t chunk[READ_SIZE];
	ssize_t n = recv(k->fd, chunk, max, 0);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	if (n > 0)
		stream_feed(k->stream, chunk, (size_t)n);
	return n > 0;
}

bool link_read(struct link *k)
{
	return read_some(k, READ_SIZE);
}

bool link_flush(struct link *k)
{
	struct buf *out = stream_out(k->stream);
	ssize_t n = out->len ? send(k->fd, out->data, out->len, MSG_NOSIGNAL) : 0;

	if (n > 0)
		buf_drop(out, (size_t)n);
	return n >= 0 || errno == EAGAIN || errno == EINTR;
}

/*
 * Moves a connection to the task of its rank. Returns NULL if there is no such task, or if the task
 * is already connected.
 */
static struct run_task *assign_link(struct links *l, size_t i, const struct stream_frame *f)
{
	const struct hello *h = stream_hello(l->unauthenticated[i].stream);
	struct run_task *t;
	size_t len = f->len;

	if (f->type != STREAM_STARTED || h->tasks > l->count ||
	    (l->connected && h->tasks != l->count))
		return NULL;
	t = &l->tasks[h->rank];
	if (t->state != TASK_EXPECTED)
		return NULL;
	l->count = h->tasks;
	l->connected++;
	t->state = TASK_CONNECTED;
	if (len >= sizeof(t->node))
		len = sizeof(t->node) - 1;
	for (size_t k = 0; k < len; k++)
		t->node[k] = (char)(f->body[k] > ' ' && f->body[k] < 0x7f ? f->body[k] : '?');
	t->link = l->unauthenticated[i];
	l->unauthenticated[i] = l->unauthenticated[--l->unauthenticated_count];
	return t;
}

struct run_task *links_read_unauthenticated(struct links *l, size_t i)
{
	struct link *k = &l->unauthenticated[i];
	struct stream_frame f;
	struct run_task *t = NULL;
	bool alive = read_some(k, UNAUTHENTICATED_READ) &&
		     stream_state(k->stream) != STREAM_FAILED && link_flush(k);
	int n;

	if (!alive) {
		drop(l, i);
		return NULL;
	}
	n = stream_next(k->stream, &f);
	if (n > 0)
		t = assign_link(l, i, &f);
	if (n < 0 || (n > 0 && !t))
		drop(l, i);
	return t;
}
