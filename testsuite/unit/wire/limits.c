/* The cost of slow, greedy and hostile peers: their own connection only. */
#include "tap/tap.h"
#include "unit/wire/nets.h"
#include "wire/conn_state.h"
#include "util/clock.h"

#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static const struct net_limits small = {.unauthenticated_per_address = 3,
					.handshake_timeout_ms = 300,
					.conns_per_uid = 2,
					.output_soft = 65536,
					.output_hard = 1 << 20};

/* Reads until the peer closes; returns the number of bytes. */
static size_t read_all(int fd, char *text, size_t size)
{
	size_t len = 0;
	ssize_t n;

	while (len < size && (n = recv(fd, text + len, size - len, 0)) > 0)
		len += (size_t)n;
	return len;
}

static void test_handshake_time(void)
{
	struct nets n;
	char text[8192];
	int silent, half;
	size_t len;

	nets_init(&n, &small, NULL);
	silent = nets_connect(&n);
	half = nets_connect(&n);
	if (send(half, "\x20\x00\x00\x00\x02\x00", 6, 0) != 6)
		bail("send");
	ok(nets_until(&n, &n.server.closed, 2),
	   "a silent connection and one with half a message are closed");
	has_str(n.server.why, "did not authenticate in time", "the reason is the time limit");
	len = read_all(half, text, sizeof(text));
	ok(memmem(text, len, "in time", 7) != NULL, "the peer is told so");
	close(silent);
	close(half);
	nets_done(&n);
}

static void test_handshake_count(void)
{
	struct nets n;
	char text[8192];
	int fds[4];
	size_t len;

	nets_init(&n, &small, NULL);
	for (int i = 0; i < 4; i++)
		fds[i] = nets_connect(&n);
	nets_run_ms(&n, 50);
	len = read_all(fds[3], text, sizeof(text));
	ok(memmem(text, len, "too many connections from this address", 38) != NULL,
	   "the fourth unauthenticated connection of an address is refused");
	is_int((long long)HASH_COUNT(n.server.net->conns), 3, "it leaves no connection behind");
	for (int i = 0; i < 4; i++)
		close(fds[i]);
	ok(nets_until(&n, &n.server.closed, 3), "the others close");
	net_dial(n.client.net, n.address);
	ok(nets_until(&n, &n.client.opened, 1), "then a new one is accepted");
	nets_done(&n);
}

static void test_handshake_bytes(void)
{
	struct nets n;
	char junk[65536];
	int fd;

	memset(junk, 'x', sizeof(junk));
	nets_init(&n, &small, NULL);
	fd = nets_connect(&n);
	send(fd, junk, sizeof(junk), MSG_NOSIGNAL);
	ok(nets_until(&n, &n.server.closed, 1), "a connection that sends junk is closed");
	has_str(n.server.why, "not the next message", "the reason names the junk");
	close(fd);
	nets_done(&n);
}

static void test_uid_count(void)
{
	struct nets n;

	nets_init(&n, &small, NULL);
	net_dial(n.client.net, n.address);
	net_dial(n.client.net, n.address);
	ok(nets_until(&n, &n.server.opened, 2), "two connections of a uid are accepted");
	net_dial(n.client.net, n.address);
	ok(nets_until(&n, &n.client.closed, 1), "a third is closed");
	has_str(n.client.why, "too many connections open", "the reason is the limit");
	is_int(n.server.opened, 2, "the server's callback was not called for it");
	nets_until(&n, &n.server.closed, 1);
	conn_close(n.server.last, "room");
	nets_until(&n, &n.client.closed, 2);
	net_dial(n.client.net, n.address);
	ok(nets_until(&n, &n.server.opened, 3), "a new one is accepted when one has closed");
	nets_done(&n);
}

static int64_t now_ms(void)
{
	return clock_us(CLOCK_MONOTONIC) / 1000;
}

static void test_rate(void)
{
	struct net_limits limits = small;
	Armada__PingRequest p = ARMADA__PING_REQUEST__INIT;
	int64_t start;
	struct nets n;

	limits.requests_per_second = 100;
	limits.requests_burst = 10;
	nets_init(&n, &limits, NULL);
	n.server.replies = true;
	net_dial(n.client.net, n.address);
	nets_until(&n, &n.client.opened, 1);
	start = now_ms();
	for (uint32_t i = 0; i < 50; i++)
		conn_send(n.client.last, MSG_PING, i, &p);
	ok(nets_until(&n, &n.client.messages, 50), "all requests are answered in the end");
	ok(now_ms() - start >= 350,
	   "40 requests above the burst take 0.4 s at 100 a second (took %d ms)",
	   (int)(now_ms() - start));
	nets_done(&n);
}

static void test_never_reads(void)
{
	Armada__PingRequest p = ARMADA__PING_REQUEST__INIT;
	struct nets n;
	size_t most = 0;

	nets_init(&n, &small, NULL);
	n.server.flood = 1;
	n.server.flood_size = 60000;
	net_dial(n.client.net, n.address);
	nets_until(&n, &n.client.opened, 1);
	for (uint32_t i = 0; i < 400; i++)
		conn_send(n.client.last, MSG_PING, i, &p);
	n.client.last->paused = true; /* stop reading on the client */
	event_del(n.client.last->read);
	for (int i = 0; i < 20; i++) {
		nets_run_ms(&n, 10);
		if (n.server.last && conn_pending(n.server.last) > most)
			most = conn_pending(n.server.last);
	}
	ok(most > 0 && most <= 65536 + 2 * 60100,
	   "the server stops reading requests of a client that does not read (%zu bytes are queued)",
	   most);
	is_int(n.server.closed, 0, "the connection stays open");
	n.client.last->paused = false;
	event_add(n.client.last->read, NULL);
	ok(nets_until(&n, &n.client.messages, 400),
	   "all replies arrive when the client reads again");

	n.server.flood = 1000;
	conn_send(n.client.last, MSG_PING, 0, &p);
	ok(nets_until(&n, &n.server.closed, 1), "above the hard limit the connection is closed");
	is_str(n.server.why, "the peer does not read its messages",
	       "the reason names the unread output");
	nets_done(&n);
}

/* A munge that hangs delays its own connections only. */
static void test_slow_auth(void)
{
	struct net_limits limits = small;
	struct nets n;

	limits.unauthenticated_per_address = 64;
	nets_init(&n, &limits, NULL);
	n.server_auth.delay_ms = 500;
	for (int i = 0; i < 8; i++)
		net_dial(n.client.net, n.address);
	ok(nets_until(&n, &n.server.closed, 8), "connections are closed while munge hangs");
	has_str(n.server.why, "in time", "the reason is the time limit");
	nets_done(&n);
}

int main(void)
{
	test_handshake_time();
	test_handshake_count();
	test_handshake_bytes();
	test_uid_count();
	test_rate();
	test_never_reads();
	test_slow_auth();
	return done();
}
