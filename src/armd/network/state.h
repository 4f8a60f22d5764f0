/*
 * The state of the network process, private to this folder.
 */
#pragma once

#include "agent/link.h"
#include "armd/network/network.h"
#include "armd/pipe/pipe.h"

#include <event2/event.h>

struct net;

struct network {
	const struct network_config *config;
	struct event_base *base;
	struct net *net;
	struct link *link;
	struct pipe *pipe;
	struct event *readable, *writable, *timer, *term;
	/* the link's number and the net's number of the current connection */
	uint64_t session, conn;
	struct link_effects effects;
	struct arena *decoded; /* the message being handled */
	struct pipe_msg *msg;  /* to send */
	int status;            /* of the process */
};
