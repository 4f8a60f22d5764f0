#include "state/engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TRIES = 1500, PAUSE_MS = 20 };

static char prefix[32];
static int prefixes;

void engine_next_prefix(void)
{
	snprintf(prefix, sizeof(prefix), "test%d", ++prefixes);
	harness_option_text(REDIS_PREFIX, prefix);
}

const char *engine_prefix(void)
{
	return prefix;
}

void engine_load_redis(bool sentinels)
{
	harness_load_plugin("redis");
	harness_option_list(REDIS_SERVERS, server_names, SERVERS);
	harness_option_list(REDIS_SENTINELS, sentinel_names, sentinels ? SERVERS : 0);
	harness_option_text(REDIS_PRIMARY_NAME, "armada");
	harness_option_text(REDIS_USER, "");
	harness_option_text(REDIS_PASSWORD_FILE, "");
	harness_option_text(REDIS_COPIES, "all");
	harness_option(REDIS_LEASE, LEASE_MS * 1000);
	harness_option(REDIS_TIMEOUT, 1000000);
	engine_next_prefix();
}

static void pause_ms(int ms)
{
	const struct timespec ts = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&ts, NULL);
}

int engine_lead(void *h, struct armada_replica_lead *ret_lead)
{
	struct armada_replica_lead lead;
	int rc = 0;

	if (!ops->replica)
		return 0;
	for (int i = 0; i < TRIES; i++) {
		rc = ops->replica->lead(h, 1, &lead, &err);
		if (rc != -EBUSY && rc != -EAGAIN)
			break;
		pause_ms(PAUSE_MS);
	}
	if (ret_lead)
		*ret_lead = lead;
	return rc;
}

void *engine_fresh(const char **ret_dir)
{
	const char *dir = harness_dir();

	if (ops->replica)
		engine_next_prefix();
	if (state_init(dir))
		bail("init: %s", err.text);
	*ret_dir = dir;
	return engine_reopen(dir);
}

void *engine_reopen(const char *dir)
{
	void *h = NULL;
	int rc = -EAGAIN;

	for (int i = 0; i < TRIES && (rc = state_open(dir, &h, NULL)) == -EAGAIN; i++)
		pause_ms(PAUSE_MS);
	if (rc)
		bail("open: %s", err.text);
	if (engine_lead(h, NULL))
		bail("lead: %s", err.text);
	return h;
}

int engine_append(void *h, uint64_t first, uint64_t last)
{
	int rc = 0;

	for (int i = 0; i < TRIES && (rc = state_append(h, first, last)) == -EAGAIN; i++)
		pause_ms(PAUSE_MS);
	return rc;
}

int engine_replay(void *h, struct replayed *ret_seen)
{
	int rc = 0;

	for (int i = 0; i < TRIES && (rc = state_replay(h, ret_seen)) == -EAGAIN; i++)
		pause_ms(PAUSE_MS);
	if (rc)
		diag("replay: %s", err.text);
	return rc;
}

void engine_crash(void)
{
	if (!ops->replica)
		return; /* the engine is the process that was killed */
	for (int i = 0; i < SERVERS; i++)
		server_kill(i);
	for (int i = 0; i < SERVERS; i++) {
		server_start(i, NULL);
		if (server_ask(i, "PING")[0])
			continue;
		server_repair(i);
		server_start(i, NULL);
	}
}
