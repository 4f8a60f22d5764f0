/*
 * Threads for calls that may block: name look-ups (LDAP), credentials (munge), reading armada.conf.
 *
 * `work` runs on one of the threads and touches only what arg owns; `done` runs on the loop's
 * thread afterwards, in the order in which the works ended. Items wait in the order given.
 */
#ifndef ARMCTLD_POOL_H
#define ARMCTLD_POOL_H

struct event_base;
struct pool;

struct pool *pool_new(struct event_base *base, unsigned threads);
/*
 * Ends after the work under way; what is still queued is not begun. done is called for every item
 * that was given, so that it can free it.
 */
void pool_free(struct pool *p);
void pool_run(struct pool *p, void (*work)(void *arg), void (*done)(void *arg), void *arg);

#endif
