/* Connections on a loop: they open, carry messages both ways, and say why they end. */
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
	ok(nets_until(&n, &n.server.opened, 1), "and the server's");
	ok(net_find(n.client.net, id) == n.client.last, "a connection is found by its id");
	is_int(conn_peer(n.server.last)->uid, 1000, "the server knows who it is");
	is_str(conn_peer(n.server.last)->host, "login", "and from where");
	is_str(conn_address(n.server.last), listen ? "local" : "127.0.0.1", "and the address");
	ping(&n, 42);
	ok(nets_until(&n, &n.client.messages, 1), "an answer comes");
	is_int(n.client.last_request, 42, "to the request");
	conn_close(n.client.last, "done");
	is_int(n.client.closed, 0, "on_close comes from the loop, not from within");
	ok(nets_until(&n, &n.server.closed, 1), "the server sees the end");
	is_str(n.client.why, "done", "the client's reason is its own");
	is_str(n.server.why, "(hung up)", "an orderly end has no reason");
	ok(!net_find(n.client.net, id), "the id is gone");
	nets_done(&n);
}

static void test_many(void)
{
	enum { COUNT = 20000 };
	/* so little output is allowed that the server must rest many times */
	struct net_limits limits = {.unproved_per_address = 64,
				    .unproved_timeout_ms = 5000,
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
	is_int(n.client.last_request, COUNT, "in order");
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
	ok(nets_until(&n, &n.client.closed, 1), "closed after the last message");
	is_int(n.client.messages, 100, "which came through, with all before it");
	nets_until(&n, &n.server.closed, 1);
	is_str(n.server.why, "enough", "for the reason that was given");
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
	ok(nets_until(&n, &n.client.closed, 1), "a uid without the role: closed");
	has_str(n.client.why, "may not take the role", "in the server's words");
	ok(nets_until(&n, &n.server.closed, 1), "closed on the server");
	has_str(n.server.why, "may not take the role", "in the same words");
	is_int(n.client.opened + n.server.opened, 0, "nobody saw it open");
	strcpy(nobody, n.address);
	net_stop_listening(n.server.net);
	net_dial(n.client.net, nobody);
	ok(nets_until(&n, &n.client.closed, 2), "nobody listens: closed");
	has_str(n.client.why, "Connection refused", "with the reason");
	has_str(n.client.why, nobody, "and the address");
	net_dial(n.client.net, "not an address");
	ok(nets_until(&n, &n.client.closed, 3), "no address: closed");
	has_str(n.client.why, "\"host:port\"", "with what would be one");
	net_dial(n.client.net, "/nowhere/socket");
	ok(nets_until(&n, &n.client.closed, 4), "no such socket: closed");
	has_str(n.client.why, "No such file", "with the reason");
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
	ok(!stat(path, &st) && (st.st_mode & 0777) == 0666, "the socket is for everybody");
	second = net_new(n.base, &sp, &fake_auth_ops, &n.server_auth, NULL, &none, NULL);
	ok(net_listen(second, path, NULL, &err) < 0, "a socket in use is left alone");
	has_str(err.text, "somebody listens there already", "in words");
	ok(net_listen(second, dir, NULL, &err) < 0, "a directory is not a socket");
	has_str(err.text, "is not a socket", "in words");
	net_free(second);
	nets_done(&n);
	ok(stat(path, &st) < 0, "the socket goes with its net");
}

/* A net may end in the middle of everything. */
static void test_free_early(void)
{
	struct nets n;

	nets_init(&n, NULL, NULL);
	n.client_auth.delay_ms = 100;
	for (int i = 0; i < 8; i++)
		net_dial(n.client.net, n.address);
	nets_run_ms(&n, 50);
	nets_done(&n);
	ok(true, "freed while credentials are being made");
	nets_init(&n, NULL, NULL);
	net_dial(n.client.net, n.address);
	nets_done(&n);
	ok(true, "freed while dialling");
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
