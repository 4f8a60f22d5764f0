/*
 * Limits for slow, greedy and hostile peers: a peer that exceeds one loses its own connection, and
 * others are not affected.
 */
#include "tap/tap.h"
#include "unit/wire/nets.h"
#include "wire/conn_state.h"
#include "util/clock.h"
#include "util/mem.h"

#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static const struct net_limits small = {.handshakes_per_address = 3,
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
	nets_run_ms(&n, 200);
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
	conn_hold(n.client.last); /* stop reading on the client */
	for (int i = 0; i < 1000 && most <= 65536; i++) {
		nets_run_ms(&n, 10);
		if (n.server.last && conn_pending(n.server.last) > most)
			most = conn_pending(n.server.last);
	}
	nets_run_ms(&n, 50);
	most = conn_pending(n.server.last) > most ? conn_pending(n.server.last) : most;
	ok(most > 0 && most <= 65536 + 2 * 60100,
	   "the server stops reading requests of a client that does not read (%zu bytes are queued)",
	   most);
	is_int(n.server.closed, 0, "the connection stays open");
	conn_resume(n.client.last);
	ok(nets_until(&n, &n.client.messages, 400),
	   "all replies arrive when the client reads again");

	n.server.flood = 1000;
	conn_send(n.client.last, MSG_PING, 0, &p);
	ok(nets_until(&n, &n.server.closed, 1), "above the hard limit the connection is closed");
	is_str(n.server.why, "the peer does not read its messages",
	       "the reason names the unread output");
	nets_done(&n);
}

/* The kernel shall keep little, so that few answers fill the connection. */
static void shrink(const struct conn *c)
{
	int bytes = 32768;

	setsockopt(c->fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
	setsockopt(c->fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
}

enum { GREEDY = 10 };

static struct conn *dial_as(struct nets *n, uint32_t uid)
{
	unsigned opened = n->client.opened;

	n->client_auth.uid = uid;
	net_dial(n->client.net, n->address);
	if (!nets_until(n, &n->client.opened, opened + 1) ||
	    !nets_until(n, &n->server.opened, n->client.opened))
		bail("no connection");
	return n->client.last;
}

static struct conn *dial_greedy(struct nets *n, uint32_t uid)
{
	struct conn *c = dial_as(n, uid);

	shrink(c);
	shrink(n->server.last);
	return c;
}

static void ping(struct conn *c, uint32_t count, uint32_t first)
{
	Armada__PingRequest p = ARMADA__PING_REQUEST__INIT;

	for (uint32_t i = 0; i < count; i++)
		conn_send(c, MSG_PING, first + i, &p);
}

/* Run the loop until connections wait and the kernel takes no more output. Returns the bytes that wait. */
static size_t until_full(struct nets *n)
{
	struct net_use use = {0};
	size_t before;
	int same = 0;

	for (int i = 0; i < 1000 && same < 5; i++) {
		before = use.output;
		nets_run_ms(n, 10);
		net_use(n->server.net, &use);
		same = use.output == before && !TAILQ_EMPTY(&n->server.net->waiting) ? same + 1 : 0;
	}
	return use.output;
}

/*
 * Send requests that are not read until one of them is not taken: requests are taken again when half of the
 * limit is free, so some may be taken before. Returns the number of requests.
 */
static unsigned until_waiting(struct nets *n, struct conn *c)
{
	unsigned sent, before;

	conn_hold(c);
	for (sent = 1; sent <= 40; sent++) {
		before = n->server.messages;
		ping(c, 1, 1000 + sent);
		for (int i = 0; i < 20 && n->server.messages == before; i++)
			nets_run_ms(n, 10);
		if (n->server.messages == before)
			break;
	}
	return sent;
}

/* Output of one connection stops the others of its user, and no other user. */
static void test_output_of_user(void)
{
	struct net_limits limits = small;
	struct conn *greedy, *second, *other;
	uint32_t user = 70000;
	size_t output;
	struct nets n;
	unsigned before, sent;

	limits.conns_per_uid = 10;
	limits.output_soft = limits.output_hard = 64 << 20;
	limits.output_per_user = 200000;
	nets_init(&n, &limits, NULL);
	greedy = dial_greedy(&n, user);
	second = dial_greedy(&n, user);
	other = dial_as(&n, user + 1);
	n.server.flood = 1;
	n.server.flood_size = 60000;
	conn_hold(greedy);
	ping(greedy, GREEDY, 1);
	output = until_full(&n);
	ok(output > 100000 && output <= 320000,
	   "the output of a user who does not read is limited (%zu bytes wait)", output);
	sent = until_waiting(&n, second);
	ok(sent <= 40, "another connection of this user waits");
	before = n.client.messages;
	ping(other, 1, 2000);
	ok(nets_until(&n, &n.client.messages, before + 1), "another user is served");
	conn_resume(greedy);
	conn_resume(second);
	ok(nets_until(&n, &n.client.messages, before + 1 + GREEDY + sent),
	   "who reads again gets every answer");
	nets_done(&n);
}

/* Nothing is taken from users while all together have too much output; a privileged user goes on. */
static void test_output_of_all(void)
{
	struct net_limits limits = small;
	struct conn *greedy, *other, *root;
	struct nets n;
	unsigned before, sent;

	limits.output_soft = limits.output_hard = limits.output_per_user = 64 << 20;
	limits.output_total = 200000;
	nets_init(&n, &limits, NULL);
	greedy = dial_greedy(&n, 70000);
	other = dial_greedy(&n, 70001);
	root = dial_as(&n, 0);
	n.server.flood = 1;
	n.server.flood_size = 60000;
	conn_hold(greedy);
	ping(greedy, GREEDY, 1);
	until_full(&n);
	sent = until_waiting(&n, other);
	ok(sent <= 40, "a user waits while all together have too much output");
	before = n.client.messages;
	ping(root, 1, 2000);
	ok(nets_until(&n, &n.client.messages, before + 1), "root is served");
	conn_close(greedy, "enough");
	conn_resume(other);
	ok(nets_until(&n, &n.client.messages, before + 1 + sent),
	   "the user is served when there is room");
	nets_done(&n);
}

/* Large records that are being written stop the connections of their user, and no other user. */
static void test_records_of_user(void)
{
	struct net_limits limits = small;
	struct conn *writer, *busy, *second, *other;
	uint32_t user = 70000;
	struct nets n;

	limits.conns_per_uid = 10;
	limits.output_soft = limits.output_hard = 64 << 20;
	limits.commit_per_user = 100000;
	nets_init(&n, &limits, NULL);
	n.server.flood = 1;
	n.server.flood_size = 100;
	dial_as(&n, user);
	writer = n.server.last;
	dial_as(&n, user);
	busy = n.server.last;
	second = dial_as(&n, user);
	other = dial_as(&n, user + 1);
	conn_commit(writer, 90000);
	conn_commit(busy, 20000);
	ping(second, 1, 1);
	ping(other, 1, 2);
	ok(nets_until(&n, &n.client.messages, 1), "another user is served");
	nets_run_ms(&n, 50);
	is_int(n.server.messages, 1, "who has too many bytes of records in the commit waits");
	conn_commit(busy, -20000);
	nets_run_ms(&n, 50);
	is_int(n.server.messages, 1, "... until half of the limit is free");
	conn_close(writer, "gone");
	ok(nets_until(&n, &n.client.messages, 2), "the end of a connection gives its bytes back");
	nets_done(&n);
}

static void test_stalled(void)
{
	struct net_limits limits = small;
	struct conn *greedy;
	struct nets n;

	limits.output_timeout_ms = 100;
	nets_init(&n, &limits, NULL);
	greedy = dial_greedy(&n, 70000);
	n.server.flood = 1;
	n.server.flood_size = 60000;
	conn_hold(greedy);
	ping(greedy, GREEDY, 1);
	ok(nets_until(&n, &n.server.closed, 1), "a peer that does not read is closed");
	has_str(n.server.why, "the peer does not read: ", "the reason says so");
	nets_done(&n);
}

/* Send the first bytes of a message of 200,000 bytes; the rest is returned. */
static struct buf begin_large(struct conn *c, uint32_t request)
{
	struct buf *out = session_out(c->session), rest = {0};
	uint8_t *body = xcalloc(1, 200000);

	conn_send_packed(c, MSG_CANCEL, request, body, 200000);
	free(body);
	buf_add(&rest, out->data + 100000, out->len - 100000);
	out->len = 100000;
	return rest;
}

static void send_rest(struct conn *c, struct buf *rest)
{
	buf_add(session_out(c->session), rest->data, rest->len);
	buf_done(rest);
	output_dirty(c);
}

static void until_large(struct nets *n, uint32_t large)
{
	struct net_use use = {0};

	for (int i = 0; i < 1000 && use.large != large; i++) {
		nets_run_ms(n, 10);
		net_use(n->server.net, &use);
	}
}

static void test_large(void)
{
	struct net_limits limits = small;
	struct conn *first, *second;
	struct buf rest, late;
	struct nets n;

	limits.large_per_user = 1;
	limits.output_timeout_ms = 3000;
	nets_init(&n, &limits, NULL);
	first = dial_as(&n, 70000);
	second = dial_as(&n, 70000);
	rest = begin_large(first, 1);
	until_large(&n, 1);
	late = begin_large(second, 2);
	send_rest(second, &late);
	nets_run_ms(&n, 50);
	is_int(n.server.messages, 0, "a large message waits while another one is being received");
	send_rest(first, &rest);
	ok(nets_until(&n, &n.server.messages, 2), "it is received after that one");
	rest = begin_large(first, 3);
	ok(nets_until(&n, &n.server.closed, 1), "a large message that does not come is given up");
	has_str(n.server.why, "began a message of 2000", "the reason says so");
	buf_done(&rest);
	nets_done(&n);
}

/* Connections that say nothing do not lock out others of their address. */
static void test_silent(void)
{
	struct net_limits limits = small;
	struct nets n;
	int fds[3];

	limits.handshake_timeout_ms = 60000;
	nets_init(&n, &limits, NULL);
	for (int i = 0; i < 3; i++)
		fds[i] = nets_connect(&n);
	nets_run_ms(&n, 100);
	net_dial(n.client.net, n.address);
	ok(nets_until(&n, &n.client.opened, 1), "a client takes the place of a silent connection");
	is_int(n.server.closed, 1, "one connection had to give its place up");
	has_str(n.server.why, "the peer sent nothing", "the reason says so");
	for (int i = 0; i < 3; i++)
		close(fds[i]);
	nets_done(&n);
}

/* A user with many connections full of requests does not keep another one waiting. */
static void test_turns(void)
{
	enum { CONNS = 10, REQUESTS = 40 };
	struct net_limits limits = small;
	struct conn *busy[CONNS], *other;
	struct nets n;
	unsigned before;

	limits.conns_per_uid = CONNS;
	limits.handshakes_per_address = 64;
	nets_init(&n, &limits, NULL);
	for (int i = 0; i < CONNS; i++)
		busy[i] = dial_as(&n, 70000);
	other = dial_as(&n, 70001);
	n.server.busy_us = 1200;
	n.server.watch = 777;
	for (uint32_t i = 0; i < CONNS; i++)
		ping(busy[i], REQUESTS, 1000);
	nets_until(&n, &n.server.messages, 20);
	before = n.server.messages;
	ping(other, 1, 777);
	ok(nets_until(&n, &n.server.watched_at, 1), "the other user's request is delivered");
	ok(n.server.watched_at - before <= 60, "... before most of %d others (%u were before it)",
	   CONNS * REQUESTS, n.server.watched_at - before);
	ok(nets_until(&n, &n.server.messages, CONNS * REQUESTS + 1), "all are delivered");
	nets_done(&n);
}

/* A munge that hangs delays its own connections only. */
static void test_slow_auth(void)
{
	struct net_limits limits = small;
	struct nets n;

	limits.handshakes_per_address = 64;
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
	test_output_of_user();
	test_output_of_all();
	test_records_of_user();
	test_stalled();
	test_large();
	test_silent();
	test_turns();
	test_slow_auth();
	return done();
}
