/*
 * The network process of armd (network.h). Input: connections to controllers, and datagrams of the
 * launcher. Output: inputs of the link (agent/link.h), whose effects effects.c applies; the exit
 * status of the process.
 *
 * Reports of the launcher are collected over a batch of datagrams and sent together. Caveat:
 * effects borrow from the message at hand, so they are applied before the next datagram is read.
 */
#define LOG_AREA LOG_AREA_NET
#include "armd/network/effects.h"
#include "armd/pipe/body.h"
#include "armd/pipe/io.h"

#include "util/clock.h"
#include "util/log_peer.h"
#include "util/mem.h"
#include "util/rlimits.h"
#include "wire/net.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum {
	PIPE_TURN = 512, /* messages of the launcher in one iteration of the loop */
	RECONNECT_MIN_US = 100000,
	ANSWER_US = 15 * 1000000,
};

/* ---- the controller ---- */

/* The local address of the connection; a Unix socket has none. */
static const char *reached_at(const struct conn *c, char memory[INVENTORY_ADDRESS])
{
	const char *local = conn_local_address(c);

	if (strpbrk(local, ".:") && local[0] != '/')
		return local;
	inventory_own_address(memory);
	return memory;
}

static void on_open(void *arg, struct conn *c, const struct session_peer *peer)
{
	char memory[INVENTORY_ADDRESS];
	struct network *n = arg;

	if (conn_id(c) != n->conn)
		return;
	log_debug("session with the controller, release %s", peer->release);
	if (peer->standing.standby) {
		link_standby(n->link, n->session, peer->standing.leader, clock_us(CLOCK_BOOTTIME),
			     &n->effects);
		network_apply_effects(n);
		return;
	}
	link_connected(n->link, n->session, reached_at(c, memory), clock_us(CLOCK_BOOTTIME),
		       &n->effects);
	network_apply_effects(n);
}

static void on_message(void *arg, struct conn *c, const struct msg_info *info, uint32_t request,
		       const uint8_t *body, size_t len)
{
	struct network *n = arg;
	struct err err;
	void *message;

	(void)request;
	if (conn_id(c) != n->conn)
		return;
	arena_clear(n->decoded);
	message = msg_unpack(info, body, len, n->decoded, &err);
	if (!message) {
		log_peer(LOG_NODES, "the controller", LOG_WARN, "controller: %s: %s", info->name,
			 err.text);
		conn_close(c, "it sent a message that cannot be decoded");
		return;
	}
	if (info->type == MSG_HEARTBEAT_ACK && ((const Armada__HeartbeatAck *)message)->refresh) {
		/* the launcher starts another network process, which begins with the discover program */
		log_notice("anode refresh: the resources of this node are found again");
		event_base_loopbreak(n->base);
		return;
	}
	link_message(n->link, n->session, info->type, message, clock_us(CLOCK_BOOTTIME),
		     &n->effects);
	network_apply_effects(n);
}

static void on_close(void *arg, struct conn *c, const char *why)
{
	struct network *n = arg;
	size_t len = strlen(conn_address(c));

	if (conn_id(c) != n->conn)
		return;
	n->conn = 0;
	/* The link logs the address before the reason. */
	if (why && strncmp(why, conn_address(c), len) == 0 && strncmp(why + len, ": ", 2) == 0)
		why += len + 2;
	link_closed(n->link, n->session, why, clock_us(CLOCK_BOOTTIME), &n->effects);
	network_apply_effects(n);
}

static const struct net_ops ops = {on_open, on_message, on_close, NULL};

/* ---- the launcher ---- */

static void on_report(struct network *n, const struct pipe_report *m)
{
	struct err err;
	const Armada__Report *report;

	arena_clear(n->decoded);
	report = msg_unpack_as(&armada__report__descriptor, m->packed, m->len, n->decoded, &err);
	if (report)
		link_report(n->link, report);
	else
		log_peer(LOG_NODES, "the launcher", LOG_ERROR,
			 "a report of the launcher was dropped: %s", err.text);
}

static void on_output(struct network *n, uint64_t number, int fd)
{
	CLEANUP_FREE uint8_t *packed = NULL;
	Armada__OutputRead *m = NULL;
	struct err err;
	size_t len;

	arena_clear(n->decoded);
	if (pipe_body_read(fd, &packed, &len, &err) == 0)
		m = msg_unpack_as(&armada__output_read__descriptor, packed, len, n->decoded, &err);
	close(fd);
	if (!m) {
		log_peer(LOG_NODES, "the launcher", LOG_ERROR, "output was dropped: %s", err.text);
		return;
	}
	m->number = number;
	link_output(n->link, m, &n->effects);
}

static void on_pipe_message(struct network *n, const struct pipe_msg *m)
{
	int64_t now_us = clock_us(CLOCK_BOOTTIME);

	switch (m->type) {
	case PIPE_HELLO:
		link_hello(n->link, &m->hello, now_us, &n->effects);
		break;
	case PIPE_REPORT:
		on_report(n, &m->report);
		break;
	case PIPE_INVENTORY_END:
		link_inventory_end(n->link, m->number, now_us, &n->effects);
		break;
	case PIPE_SHUTDOWN:
		link_shutdown(n->link, now_us, &n->effects);
		break;
	case PIPE_STAMP:
		link_stamp(n->link, m->stamp);
		break;
	case PIPE_HEALTH:
		link_health(n->link, m->problem.text);
		break;
	case PIPE_CPUS:
		link_cpus(n->link, m->problem.text);
		break;
	case PIPE_USAGE:
		link_usage(n->link, &m->usage.key, &m->usage.used);
		break;
	case PIPE_STEP:
		link_step(n->link, &m->step.key, &m->step.state, now_us);
		break;
	case PIPE_OUTPUT:
		on_output(n, m->number, m->output.body_fd);
		break;
	case PIPE_PROBLEM:
		log_peer(LOG_NODES, "the launcher", LOG_WARN, "%s", m->problem.text);
		if (m->problem.about == PIPE_ABOUT_CONTROLLER)
			link_controller_refused(n->link, m->problem.text, now_us, &n->effects);
		break;
	default:
		break;
	}
}

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
	struct network *n = arg;
	int rc = 0;

	(void)fd;
	(void)what;
	for (int i = 0; i < PIPE_TURN; i++) {
		rc = pipe_receive(n->pipe, n->msg);
		if (rc <= 0)
			break;
		on_pipe_message(n, n->msg);
		/*
		 * Reports are collected; other effects borrow from buffers that the next message
		 * overwrites.
		 */
		if (n->effects.count)
			network_apply_effects(n);
	}
	network_apply_effects(n);
	if (rc == -EBADMSG)
		log_error("the launcher sent a message that cannot be decoded");
	if (rc < 0) {
		n->status = rc == -EPIPE ? 0 : 1;
		event_base_loopbreak(n->base);
	}
}

static void on_writable(evutil_socket_t fd, short what, void *arg)
{
	struct network *n = arg;

	(void)fd;
	(void)what;
	if (pipe_flush(n->pipe) < 0)
		event_base_loopbreak(n->base);
	else if (pipe_waiting(n->pipe))
		event_add(n->writable, NULL);
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct network *n = arg;
	int64_t free_bytes;
	double load;

	(void)fd;
	(void)what;
	log_peer_tick();
	inventory_sample(&free_bytes, &load);
	link_sample(n->link, free_bytes, load);
	link_tick(n->link, clock_us(CLOCK_BOOTTIME), &n->effects);
	network_apply_effects(n);
}

static void on_term(evutil_socket_t fd, short what, void *arg)
{
	struct network *n = arg;

	(void)fd;
	(void)what;
	event_base_loopbreak(n->base);
}

/* ---- the process ---- */

static int start_net(struct network *n, void **ret_auth, struct err *err)
{
	struct session_policy policy = {
		.cluster = n->config->cluster,
		.host = n->config->declared.node.name,
		.self = ROLE_AGENT,
		.server_uid = n->config->controller_uid,
	};
	int rc = plugin_open_auth(n->config->auth, ret_auth, err);

	if (rc == 0)
		n->net = net_new(n->base, &policy, n->config->auth->ops, *ret_auth, NULL, &ops, n);
	return rc;
}

static int start_link(struct network *n, struct arena *arena, struct err *err)
{
	struct link_config config = {
		.addresses = n->config->controllers,
		.address_count = n->config->controller_count,
		.reconnect_min_us = RECONNECT_MIN_US,
		.reconnect_max_us = n->config->reconnect_max_us,
		.answer_us = ANSWER_US,
	};
	Armada__RegisterNode *describe;

	inventory_describe(&n->config->declared, arena, &describe);
	config.describe = describe;
	if (config.reconnect_min_us > config.reconnect_max_us)
		config.reconnect_min_us = config.reconnect_max_us;
	if (getrandom(&config.seed, sizeof(config.seed), 0) != sizeof(config.seed))
		return err_sys(err, -errno, "cannot get random numbers");
	n->link = link_new(&config);
	return 0;
}

static void start_events(struct network *n)
{
	int fd = pipe_fd(n->pipe);

	signal(SIGPIPE, SIG_IGN);
	signal(SIGHUP, SIG_IGN); /* the launcher handles it, and an interrupt at the terminal */
	signal(SIGINT, SIG_IGN);
	log_levels_signals();
	n->readable = event_new(n->base, fd, EV_READ | EV_PERSIST, on_readable, n);
	n->writable = event_new(n->base, fd, EV_WRITE, on_writable, n);
	n->timer = evtimer_new(n->base, on_timer, n);
	n->term = evsignal_new(n->base, SIGTERM, on_term, n);
	event_add(n->readable, NULL);
	event_add(n->term, NULL);
}

static void network_done(struct network *n)
{
	struct event *events[] = {n->readable, n->writable, n->timer, n->term};

	if (n->net)
		net_free(n->net);
	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		if (events[i])
			event_free(events[i]);
	link_free(n->link);
	pipe_free(n->pipe);
	event_base_free(n->base);
	arena_free(n->effects.arena);
	arena_free(n->decoded);
	free(n->msg);
}

int network_main(const struct network_config *config, int pipe_fd)
{
	struct network n = {.config = config, .pipe = pipe_new(pipe_fd, false)};
	const struct armada_auth_ops *auth = config->auth->ops;
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	void *auth_handle = NULL;
	struct err err;
	int rc;

	/* each order that waits for the launcher has an open descriptor for its body */
	rlimit_raise_files();
	n.base = event_base_new();
	n.effects.arena = arena_new(0);
	n.decoded = arena_new(0);
	n.msg = xcalloc(1, sizeof(*n.msg));
	rc = start_link(&n, arena, &err);
	if (rc == 0)
		rc = start_net(&n, &auth_handle, &err);
	if (rc < 0) {
		log_error("%s", err.text);
		n.status = 1;
	} else {
		start_events(&n);
		event_base_dispatch(n.base);
	}
	network_done(&n);
	if (auth_handle)
		auth->close(auth_handle);
	return n.status;
}
