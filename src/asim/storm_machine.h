/*
 * A node of a storm: what is on its disk, what runs there, and the real ledger and link in between.
 */
#ifndef ASIM_STORM_MACHINE_H
#define ASIM_STORM_MACHINE_H

#include "agent/lease.h"
#include "agent/ledger.h"
#include "agent/link.h"

/* One attempt in the spool, and its shepherd. What is here survives armd; the spool survives all. */
struct storm_attempt {
	struct task_key key;
	uint64_t seq;
	int boot; /* it was accepted under */
	bool has_order, forked, ended;
	bool alive; /* its shepherd */
	bool gated, ready, released;
	bool lapsed;                /* its lease is over: it begins nothing any more */
	int64_t stamp_us, lease_us; /* of its order */
	int64_t start_us;
	Armada__TaskEnd end;
	uint32_t cause; /* of a kill under way */
	struct storm_attempt *next;
};

struct storm_node {
	char name[16];
	int index, boot;
	int cpus;
	bool up, ill; /* armd runs; the node is not well */
	bool leaving; /* the machine is being shut down */
	uint32_t life;
	struct ledger *ledger;
	struct link *link;
	bool taking_gated; /* of the launch order being taken */
	int64_t taking_stamp_us, taking_lease_us;
	uint8_t stamp_key[STAMP_KEY];
	struct lease_times times; /* on its disk, of this boot */
	int64_t skew;             /* of its clock, in a million */
	int64_t booted_us;        /* when its clock began */
	int64_t cut_until_us;     /* nothing passes the network until then */
	int64_t foul_until_us;    /* its network process keeps launch orders to itself until then */
	size_t kept;              /* the last of them, in captured */
	bool wiped;               /* it has lost its disk since it was last connected */
	struct ledger_meta meta;  /* durable */
	uint64_t highest_epoch;   /* durable at the launcher: nothing older may have an effect */
	struct storm_attempt *spool;
	Armada__RegisterNode describe;
	Armada__Resource resources[2], *resource_list[2];
	int64_t tick_at_us;
};

#endif
