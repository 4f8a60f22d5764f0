/*
 * The network: connections that lose, delay, duplicate and reorder messages, and partitions.
 */
#pragma once

#include "asim/storm/storm.h"
#include "proto/msg.h"

enum { SIM_CONNS = 64 };

struct sim_conn {
	uint64_t id; /* 0: free */
	int node;    /* -1: a client */
	uint64_t session;
	bool open_ctl, open_node;
};

struct sim_net {
	struct sim_conn conns[SIM_CONNS];
	uint64_t last_id;
};

struct sim_node;

/* NULL: no connection has this id. */
struct sim_conn *sim_net_find(struct storm *s, uint64_t id);
/* The connection with this session of the node's link, while the node's end is open. */
struct sim_conn *sim_net_of_session(struct storm *s, const struct sim_node *n, uint64_t session);
void sim_net_dial_ctl(struct storm *s, struct sim_node *n, uint64_t session);
void sim_net_to_ctl(struct storm *s, struct sim_conn *c, enum msg_type type, const void *message);
void sim_net_to_node(struct storm *s, struct sim_conn *c, enum msg_type type, const uint8_t *body,
		     size_t len);
/*
 * Each end learns of it at a time of its own. Neither receives anything from the other afterwards.
 */
void sim_net_break(struct storm *s, struct sim_conn *c);
/* The controller was killed. */
void sim_net_close_all(struct storm *s);
/* The node is cut off for a while. */
void sim_net_cut(struct storm *s, struct sim_node *n);
