/*
 * Connections on an event loop: they open, carry messages both ways, and end with a reason. Also
 * refused connections, Unix sockets, and a net that is freed at any time.
 */
#include "tap/tap.h"
#include "unit/wire/nets.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void ping(struct nets *n, uint32_t request)
{
	Armada__PingRequest p = ARMADA__PING_REQUEST__INIT;

	conn_send(n->client.last, MSG_PING, request, &p);
}

static void test_open(const char *listen)
{
	struct nets n;
	uint64_t id;

	nets_init(&n, NULL, listen);
	n.server.replies = true;
	id = conn_id(net_dial(n.client.net, n.address));
	ok(nets_until(&n, &n.client.opened, 1), "%s: the client's end opens", n.address);
	ok(nets_until(&n, &n.server.opened, 1), "the server's end opens");
	ok(net_find(n.client.net, id) == n.client.last, "a connection is found by its id");
	is_int(conn_peer(n.server.last)->uid, 1000, "the server knows the uid of the client");
	is_str(conn_peer(n.server.last)->host, "login", "the server knows its host");
	is_str(conn_address(n.server.last), listen ? "local" : "127.0.0.1",
	       "the server knows its address");
	ping(&n, 42);
	ok(nets_until(&n, &n.client.messages, 1), "a request is answered");
	is_int(n.client.last_request, 42, "the reply has the number of the request");
	conn_close(n.client.last, "done");
	is_int(n.client.closed, 0, "on_close is called from the loop, not from within conn_close");
	ok(nets_until(&n, &n.server.closed, 1), "the server sees the end");
	is_str(n.client.why, "done", "the client has its own reason");
	is_str(n.server.why, "(hung up)", "an orderly end has no reason");
	ok(!net_find(n.client.net, id), "the connection is not found by its id any more");
	nets_done(&n);
}

static void test_many(void)
{
	enum { COUNT = 20000 };
	/* the output limit is so small that the server must pause many times */
	struct net_limits limits = {.handshakes_per_address = 64,
				    .handshake_timeout_ms = 5000,
				    .conns_per_uid = 8,
				    .output_soft = 2048,
				    .output_hard = 64 << 20};
	struct nets n;

	nets_init(&n, &limits, NULL);
	n.server.replies = true;
	net_dial(n.client.net, n.address);
	nets_until(&n, &n.client.opened, 1);
	for (uint32_t i = 1; i <= COUNT; i++)
		ping(&n, i);
	ok(nets_until(&n, &n.client.messages, COUNT), "%d requests at once are all answered",
	   COUNT);
	is_int(n.client.last_request, COUNT, "they are answered in order");
	nets_done(&n);
}

static void test_close_after_send(void)
{
	Armada__OkReply reply = ARMADA__OK_REPLY__INIT;
	struct nets n;

	nets_init(&n, NULL, NULL);
	net_dial(n.client.net, n.address);
	nets_until(&n, &n.server.opened, 1);
	nets_until(&n, &n.client.opened, 1);
	for (int i = 0; i < 100; i++)
		conn_send(n.server.last, MSG_OK, 1, &reply);
	conn_close_after_send(n.server.last, "enough");
	ok(nets_until(&n, &n.client.closed, 1), "the connection is closed after the last message");
	is_int(n.client.messages, 100, "all messages have arrived");
	nets_until(&n, &n.server.closed, 1);
	is_str(n.server.why, "enough", "the reason is the one given");
	nets_done(&n);
}

static void test_refusals(void)
{
	struct session_policy sp = pair_server_policy(), cp = pair_client_policy();
	char nobody[64];
	struct nets n;

	cp.self = ROLE_AGENT;
	nets_init_policies(&n, NULL, NULL, &sp, &cp);
	net_dial(n.client.net, n.address);
	ok(nets_until(&n, &n.client.closed, 1), "a uid without the role is refused");
	has_str(n.client.why, "may not take the role", "the client has the reason");
	ok(nets_until(&n, &n.server.closed, 1), "the connection is closed on the server");
	has_str(n.server.why, "may not take the role", "the server has the same reason");
	is_int(n.client.opened + n.server.opened, 0, "neither end has opened");
	strcpy(nobody, n.address);
	net_stop_listening(n.server.net);
	net_dial(n.client.net, nobody);
	ok(nets_until(&n, &n.client.closed, 2), "a connection without a listener fails");
	has_str(n.client.why, "Connection refused", "the reason names the error");
	has_str(n.client.why, nobody, "the reason names the address");
	net_dial(n.client.net, "not an address");
	ok(nets_until(&n, &n.client.closed, 3), "an invalid address fails");
	has_str(n.client.why, "\"host:port\"", "the reason shows a valid one");
	net_dial(n.client.net, "/nowhere/socket");
	ok(nets_until(&n, &n.client.closed, 4), "a missing socket fails");
	has_str(n.client.why, "No such file", "the reason names the error");
	nets_done(&n);
}

static void test_unix_paths(const char *dir)
{
	struct session_policy sp = pair_server_policy();
	struct net_ops none = {0};
	struct err err = {""};
	char path[128];
	struct stat st;
	struct nets n;
	struct net *second;

	snprintf(path, sizeof(path), "%s/s2", dir);
	nets_init(&n, NULL, path);
	ok(!stat(path, &st) && (st.st_mode & 0777) == 0666, "every user may connect to the socket");
	second = net_new(n.base, &sp, &fake_auth_ops, &n.server_auth, NULL, &none, NULL);
	ok(net_listen(second, path, NULL, &err) < 0, "a socket in use is not replaced");
	has_str(err.text, "another process listens there already", "the error says so");
	ok(net_listen(second, dir, NULL, &err) < 0, "a directory is not replaced");
	has_str(err.text, "is not a socket", "the error says so");
	net_free(second);
	nets_done(&n);
	ok(stat(path, &st) < 0, "the socket is removed with its net");
}

/* A net may be freed at any point. */
static void test_free_early(void)
{
	struct nets n;

	nets_init(&n, NULL, NULL);
	n.client_auth.delay_ms = 100;
	for (int i = 0; i < 8; i++)
		net_dial(n.client.net, n.address);
	nets_run_ms(&n, 50);
	nets_done(&n);
	ok(true, "a net is freed while credentials are being made");
	nets_init(&n, NULL, NULL);
	net_dial(n.client.net, n.address);
	nets_done(&n);
	ok(true, "a net is freed while a connection is being made");
}

int main(void)
{
	char dir[] = "/tmp/armada-conn-XXXXXX", path[64];

	if (!mkdtemp(dir))
		bail("mkdtemp");
	snprintf(path, sizeof(path), "%s/s", dir);
	test_open(NULL);
	test_open(path);
	test_many();
	test_close_after_send();
	test_refusals();
	test_unix_paths(dir);
	test_free_early();
	rmdir(dir);
	return done();
}
