/*
 * A Redis server: its memory, its append-only file, and the replication from the primary.
 *
 * `list` is all that the server has ever executed, the oldest first; the memory is what it leads to. The
 * offset of a server is the length of the list. A batch is on disk when it is executed (appendfsync always),
 * except while the first rewrite after a full resync runs: then the disk holds nothing (redis.md, hole 2).
 */
#pragma once

#include "asim/replicated/data.h"

/* Settings that the plugin has to refuse. */
enum server_conf {
	CONF_FSYNC,
	CONF_TRUNCATED,
	CONF_EVICTS,
	CONF_DEFAULT_USER,
	CONF_COUNT,
	CONF_GOOD
};

struct copy_link {          /* at the primary, of one replica */
	bool known, online; /* known: it is listed */
	size_t acked;
	int64_t acked_us;
};

struct server {
	int number;
	bool alive, paused, primary, full_memory, stays_down;
	int master; /* of a replica; -1: none */
	enum server_conf conf;
	uint64_t run;     /* the number of its process */
	uint64_t drops;   /* how often its connections were closed */
	uint64_t scripts; /* that this process knows, by their numbers */
	char run_id[41];
	struct data data;
	struct batch **list;
	size_t count, cap;
	size_t synced_count; /* on disk with CONF_FSYNC */
	int64_t synced_us;
	int64_t loads_until_us, rewrites_until_us;
	bool first_rewrite; /* the rewrite is the first one after a full resync */
	int64_t changed_us; /* when it was last killed or its files were changed */
	size_t rewritten;   /* the length of the list at the last rewrite */
	uint64_t replid, replid2;
	size_t replid2_count;
	uint64_t full_syncs;
	struct copy_link copies[SERVERS];
	/* of a replica: */
	bool link_up;
	uint64_t link; /* grows with each connection to the primary */
	int64_t linked_from_us, cut_from_us;
	bool pump_planned;
};

void servers_init(struct world *w);
bool server_serves(const struct world *w, const struct server *s);
/* Executes and replicates. */
void server_execute(struct world *w, struct server *s, struct batch *b);
/* How many replicas have acknowledged this much. */
size_t server_acked(const struct server *s, size_t count);
size_t server_good_replicas(const struct world *w, const struct server *s);
bool server_rewrites(const struct world *w, const struct server *s);
void server_rewrite(struct world *w, struct server *s, int64_t us, bool first);
/* Its disk holds this record, as it was written, and would after a power failure. */
bool server_stores(const struct world *w, const struct server *s, const struct entry *e);

void server_kill(struct world *w, struct server *s, bool power);
void server_start(struct world *w, struct server *s);
void server_pause(struct world *w, struct server *s, bool on);
/* By a sentinel or an administrator. */
void server_promote(struct world *w, struct server *s);
void server_follow(struct world *w, struct server *s, int master);
/* Once in a while: connections of replicas, and their acknowledgements. */
void server_tick(struct world *w, struct server *s);

/* Faults of files, while the server is down. Each returns true if it changed something. */
bool server_empty(struct world *w, struct server *s);
bool server_truncate(struct world *w, struct server *s, size_t keep);
bool server_flip(struct world *w, struct server *s);
