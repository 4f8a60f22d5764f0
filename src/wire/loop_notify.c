#include "wire/loop_notify.h"
#include "util/mem.h"

#include <event2/event.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct loop_notify {
	int fd;
	struct event *event;
	void (*on_ring)(void *arg);
	void *arg;
};

static void heard(evutil_socket_t fd, short what, void *arg)
{
	struct loop_notify *w = arg;
	uint64_t rings;

	(void)what;
	if (read(fd, &rings, sizeof(rings)) == sizeof(rings))
		w->on_ring(w->arg);
}

struct loop_notify *loop_notify_new(struct event_base *base, void (*on_ring)(void *arg), void *arg)
{
	struct loop_notify *w = xcalloc(1, sizeof(*w));

	w->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (w->fd < 0)
		abort();
	w->on_ring = on_ring;
	w->arg = arg;
	w->event = event_new(base, w->fd, EV_READ | EV_PERSIST, heard, w);
	if (!w->event || event_add(w->event, NULL) < 0)
		abort();
	return w;
}

void loop_notify_free(struct loop_notify *w)
{
	if (!w)
		return;
	event_free(w->event);
	close(w->fd);
	free(w);
}

void loop_notify_ring(struct loop_notify *w)
{
	uint64_t one = 1;
	ssize_t done = write(w->fd, &one, sizeof(one));

	(void)done; /* full: a notification is already pending */
}
