/*
 * Redis servers and sentinels for tests: each server has its own directory and a free port on loopback. All
 * are children of the test, end with it, and are not shared with others.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { SERVERS = 3 };

/* Is redis-server installed here? */
bool servers_exist(void);
/* Starts one primary and two replicas with the configuration that is recommended. */
void servers_start(void);
/* Adds a sentinel beside each. */
void sentinels_start(int down_after_ms);
/* Ends all, and removes their directories. */
void servers_stop(void);
extern const char *const *const server_names; /* HOST:PORT */
extern const char *const *const sentinel_names;

/* One server: end it at once, start it (with what it has on disk), stop and continue it. */
void server_kill(int i);
/* extra: lines of its configuration that differ; NULL: none. Waits until it answers. */
void server_start(int i, const char *extra);
void server_pause(int i, bool on);
/*
 * Cuts what a killed server was writing, as an administrator does where it does not start again:
 * redis-check-aof --fix. Nothing of it was acknowledged.
 */
void server_repair(int i);
/* Deletes what the killed server has on disk. */
void server_empty(int i);
/* The path of its directory. */
const char *server_dir(int i);
/* Runs a command and returns its answer as text; "" if there is none. Ends at a space: use %s for none. */
const char *server_ask(int i, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Waits until the server has this many replicas that are online. */
bool server_has_replicas(int i, int count);
/* The index of the server that says that it is the primary; -1: none or several. */
int server_primary(void);
