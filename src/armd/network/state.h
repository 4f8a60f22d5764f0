/*
 * The inside of the network process, shared by its files and nobody else.
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
	uint64_t session, conn; /* the link's number and the net's, of the connection of now */
	struct link_effects effects;
	struct arena *decoded; /* the message at hand */
	struct pipe_msg *msg;  /* to send */
	int status;            /* of the process */
};
