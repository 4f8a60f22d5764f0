/*
 * A proxy that passes bytes between a client and the controller, with the faults of a profile.
 *
 *	proxy SEED UPSTREAM-SOCKET FAULTS-FILE
 *
 * It listens on a port of loopback that it prints, and connects each caller to the Unix socket. A
 * new profile is read from standard input, a line at a time: "clean", or words of
 *
 *	bytes	one byte at a time
 *	delay	each piece waits up to half a second
 *	drop	a piece is left out
 *	double	a piece comes twice
 *	swap	a piece comes after the next one
 *	flip	a bit is turned
 *	reset	the connection is reset in the middle of a piece
 *	stall	nothing more passes for two seconds
 *
 * Each of the last six happens to one piece in twenty; a line for each goes to the faults file.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { LINKS = 256, PIECE = 4096, HELD = 64, RARE = 20 };

enum profile {
	BYTES = 1,
	DELAY = 2,
	DROP = 4,
	DOUBLE = 8,
	SWAP = 16,
	FLIP = 32,
	RESET = 64,
	STALL = 128,
};

static const struct {
	const char *word;
	unsigned bit;
} words[] = {{"bytes", BYTES}, {"delay", DELAY}, {"drop", DROP},   {"double", DOUBLE},
	     {"swap", SWAP},   {"flip", FLIP},   {"reset", RESET}, {"stall", STALL}};

/* Pieces that wait to be sent to one end. */
struct piece {
	int64_t due_ms;
	size_t len, done;
	char bytes[PIECE];
};

struct way {
	struct piece *held[HELD];
	size_t count;
	int64_t after_ms; /* a piece is not sent before the piece in front of it */
};

struct link {
	int fds[2]; /* of the client and of the controller; -1: none */
	struct way ways[2];
	int64_t stalled_until_ms;
};

struct proxy {
	struct link links[LINKS];
	unsigned profile;
	unsigned random;
	const char *upstream;
	FILE *faults;
};

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static bool strikes(struct proxy *p, unsigned bit)
{
	if (!(p->profile & bit) || rand_r(&p->random) % RARE)
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (words[i].bit == bit)
			fprintf(p->faults, "%s\n", words[i].word);
	fflush(p->faults);
	return true;
}

static void hang_up(struct link *l, bool reset)
{
	struct linger now = {.l_onoff = 1};

	for (int end = 0; end < 2; end++) {
		if (reset)
			setsockopt(l->fds[end], SOL_SOCKET, SO_LINGER, &now, sizeof(now));
		close(l->fds[end]);
		l->fds[end] = -1;
		for (size_t i = 0; i < l->ways[end].count; i++)
			free(l->ways[end].held[i]);
		l->ways[end] = (struct way){0};
	}
}

static void hold(struct proxy *p, struct way *w, const char *bytes, size_t len)
{
	struct piece *n = malloc(sizeof(*n));

	n->len = len;
	n->done = 0;
	memcpy(n->bytes, bytes, len);
	if (w->count == 0)
		w->after_ms = now_ms();
	if (p->profile & DELAY)
		w->after_ms += rand_r(&p->random) % 500;
	n->due_ms = w->after_ms;
	w->held[w->count++] = n;
}

/* False if the connection is closed. */
static bool take(struct proxy *p, struct link *l, int from)
{
	struct way *w = &l->ways[!from];
	char bytes[PIECE];
	ssize_t n = read(l->fds[from], bytes, sizeof(bytes));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (n <= 0 || strikes(p, RESET)) {
		hang_up(l, n > 0);
		return false;
	}
	if (strikes(p, STALL))
		l->stalled_until_ms = now_ms() + 2000;
	if (strikes(p, DROP))
		return true;
	if (strikes(p, FLIP))
		bytes[rand_r(&p->random) % n] ^= (char)(1 << rand_r(&p->random) % 8);
	hold(p, w, bytes, (size_t)n);
	if (strikes(p, DOUBLE))
		hold(p, w, bytes, (size_t)n);
	if (w->count > 1 && w->held[w->count - 2]->done == 0 && strikes(p, SWAP)) {
		struct piece *last = w->held[w->count - 1];

		w->held[w->count - 1] = w->held[w->count - 2];
		w->held[w->count - 2] = last;
	}
	return true;
}

static bool give(struct proxy *p, struct link *l, int to)
{
	struct way *w = &l->ways[to];
	struct piece *first = w->held[0];
	size_t len = p->profile & BYTES ? 1 : first->len - first->done;
	ssize_t n = write(l->fds[to], first->bytes + first->done, len);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (n < 0) {
		hang_up(l, false);
		return false;
	}
	first->done += (size_t)n;
	if (first->done < first->len)
		return true;
	free(first);
	memmove(w->held, w->held + 1, --w->count * sizeof(w->held[0]));
	return true;
}

static int connect_upstream(const struct proxy *p)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(a.sun_path, sizeof(a.sun_path), "%s", p->upstream);
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0)
		return fd;
	close(fd);
	return -1;
}

static void welcome(struct proxy *p, int listener)
{
	int caller = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK), up;

	if (caller < 0)
		return;
	up = connect_upstream(p);
	for (size_t i = 0; up >= 0 && i < LINKS; i++) {
		if (p->links[i].fds[0] >= 0)
			continue;
		fcntl(up, F_SETFL, O_NONBLOCK);
		p->links[i] = (struct link){.fds = {caller, up}};
		return;
	}
	close(up);
	close(caller);
}

/* Reads a profile; false at the end of the input. */
static bool read_profile(struct proxy *p)
{
	char line[256] = "";
	ssize_t n = read(0, line, sizeof(line) - 1);

	if (n <= 0)
		return false;
	p->profile = 0;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(line, words[i].word))
			p->profile |= words[i].bit;
	return true;
}

struct watch {
	struct pollfd fds[2 + 2 * LINKS];
	struct link *links[2 + 2 * LINKS];
	int ends[2 + 2 * LINKS];
	size_t count;
	int64_t wake_ms;
};

static void watch_end(struct watch *w, struct link *l, int end, int64_t now)
{
	struct way *out = &l->ways[end], *in = &l->ways[!end];
	short events = 0;

	if (now < l->stalled_until_ms) {
		if (l->stalled_until_ms < w->wake_ms)
			w->wake_ms = l->stalled_until_ms;
		return;
	}
	if (in->count < HELD - 2)
		events |= POLLIN;
	if (out->count && out->held[0]->due_ms <= now)
		events |= POLLOUT;
	else if (out->count && out->held[0]->due_ms < w->wake_ms)
		w->wake_ms = out->held[0]->due_ms;
	w->fds[w->count] = (struct pollfd){.fd = l->fds[end], .events = events};
	w->links[w->count] = l;
	w->ends[w->count++] = end;
}

static void turn(struct proxy *p, int listener)
{
	static struct watch w;
	int64_t now = now_ms();

	w.count = 2;
	w.wake_ms = now + 1000;
	w.fds[0] = (struct pollfd){.fd = 0, .events = POLLIN};
	w.fds[1] = (struct pollfd){.fd = listener, .events = POLLIN};
	for (size_t i = 0; i < LINKS; i++)
		for (int end = 0; end < 2 && p->links[i].fds[0] >= 0; end++)
			watch_end(&w, &p->links[i], end, now);
	poll(w.fds, w.count, (int)(w.wake_ms > now ? w.wake_ms - now : 0));
	for (size_t i = 2; i < w.count; i++) {
		struct link *l = w.links[i];

		if (l->fds[0] < 0)
			continue;
		if ((w.fds[i].revents & POLLOUT) && !give(p, l, w.ends[i]))
			continue;
		if (w.fds[i].revents & (POLLIN | POLLHUP | POLLERR))
			take(p, l, w.ends[i]);
	}
	if (w.fds[1].revents)
		welcome(p, listener);
	if (w.fds[0].revents && !read_profile(p))
		exit(0);
}

int main(int argc, char **argv)
{
	static struct proxy p;
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(a);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (argc != 4 || !(p.faults = fopen(argv[3], "a"))) {
		fprintf(stderr, "usage: proxy SEED UPSTREAM-SOCKET FAULTS-FILE\n");
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	p.random = (unsigned)strtoul(argv[1], NULL, 10);
	p.upstream = argv[2];
	for (size_t i = 0; i < LINKS; i++)
		p.links[i].fds[0] = p.links[i].fds[1] = -1;
	if (bind(listener, (struct sockaddr *)&a, len) < 0 || listen(listener, 64) < 0 ||
	    getsockname(listener, (struct sockaddr *)&a, &len) < 0) {
		perror("proxy");
		return 1;
	}
	printf("%d\n", ntohs(a.sin_port));
	fflush(stdout);
	for (;;)
		turn(&p, listener);
}
