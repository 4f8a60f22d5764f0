#include "stub/dial.h"

#include "wire/block.h"

#include <errno.h>
#include <poll.h>
#include <sodium.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* arun listens before it requests a step, so retries are needed for network failures only. */
enum { CONNECT_MS = 5000, HELLO_MS = 10000, ROUNDS = 4, PAUSE_MS = 1000 };

/* Send the hello and read the answer. */
static int greet(int fd, struct stream *s)
{
	int64_t until_ms = block_now_ms() + HELLO_MS;
	struct buf *out = stream_out(s);
	uint8_t bytes[HELLO_ANSWER_SIZE];
	size_t want = sizeof(bytes);
	int rc = 0;

	/* the hello always fits into the buffer of a new socket */
	if (send(fd, out->data, out->len, MSG_NOSIGNAL) != (ssize_t)out->len)
		return -EIO;
	buf_clear(out);
	while (rc == 0 && stream_state(s) == STREAM_HELLO) {
		ssize_t n = 0;

		rc = block_ready(fd, POLLIN, until_ms);
		if (rc == 0) {
			n = recv(fd, bytes, want, 0);
			rc = n == 0 ? -ECONNRESET : n < 0 && errno != EAGAIN ? -errno : 0;
		}
		if (n > 0) {
			stream_feed(s, bytes, (size_t)n);
			want -= (size_t)n;
		}
	}
	return rc == 0 && stream_state(s) != STREAM_OPEN ? -EPROTO : rc;
}

static int try_one(const struct payload *p, const char *text, struct stream **ret_stream,
		   struct err *err)
{
	uint8_t random[HELLO_RANDOM];
	struct address list[ADDRESSES];
	int fd, rc, n = address_resolve(text, false, list, err);

	if (n < 0)
		return n;
	fd = block_connect(&list[0], block_now_ms() + CONNECT_MS);
	if (fd < 0)
		return err_sys(err, fd, "%s", text);
	randombytes_buf(random, sizeof(random));
	*ret_stream = stream_new_stub(p->message->key.data, &p->hello, random);
	rc = greet(fd, *ret_stream);
	if (rc == 0)
		return fd;
	stream_free(*ret_stream);
	*ret_stream = NULL;
	close(fd);
	return err_sys(err, rc, "%s", text);
}

int dial_arun(const struct payload *p, struct stream **ret_stream, struct err *err)
{
	int fd = err_set(err, -EDESTADDRREQ, "the payload has no address of arun");

	for (int round = 0; round < ROUNDS; round++) {
		struct timespec pause = {.tv_sec = PAUSE_MS / 1000};

		for (size_t i = 0; i < p->message->n_addresses; i++) {
			fd = try_one(p, p->message->addresses[i], ret_stream, err);
			if (fd >= 0)
				return fd;
		}
		if (round + 1 < ROUNDS)
			nanosleep(&pause, NULL);
	}
	return fd;
}
