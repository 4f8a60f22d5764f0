/*
 * A server and a client (struct net) on one event loop, for the tests of connections.
 */
#pragma once

#include "unit/wire/pair.h"
#include "wire/net.h"

#include <event2/event.h>

/* The events that the callbacks of one side have counted. */
struct side {
	struct net *net;
	struct conn *last; /* connection of the last on_open */
	unsigned opened, closed, messages;
	uint32_t last_request;
	char why[512];  /* of the last on_close; "(hung up)" for NULL */
	bool replies;   /* answer PING with PING_REPLY */
	unsigned flood; /* on a message, send this many replies of flood_size bytes */
	size_t flood_size;
	unsigned busy_us;    /* a message takes this long */
	uint32_t watch;      /* a request whose place in the order is wanted; 0: none */
	unsigned watched_at; /* messages up to that request */
};

struct nets {
	struct event_base *base;
	struct side server, client;
	struct fake_auth server_auth, client_auth;
	char address[64]; /* where the server listens */
};

/* limits NULL: the defaults. listen NULL: loopback, any port. */
void nets_init(struct nets *n, const struct net_limits *limits, const char *listen);
void nets_done(struct nets *n);
/* As nets_init(), with other policies. */
void nets_init_policies(struct nets *n, const struct net_limits *limits, const char *listen,
			const struct session_policy *server, const struct session_policy *client);
/* Runs the loop until *counter is at least want; false after ten seconds. */
bool nets_until(struct nets *n, const unsigned *counter, unsigned want);
/* Runs the loop for about this time. */
void nets_run_ms(struct nets *n, unsigned ms);
/* A blocking socket connected to the server, with a receive timeout of five seconds. */
int nets_connect(const struct nets *n);
