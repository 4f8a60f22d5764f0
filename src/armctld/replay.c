#define LOG_AREA LOG_AREA_STATE
#include "armctld/replay.h"

#include "util/clock.h"
#include "util/log.h"
#include "util/units.h"

#include <errno.h>
#include <string.h>

struct replay {
	struct ctld *ctld;
	uint64_t records, chunks;
	struct err err;
};

static int on_chunk(void *arg, uint64_t seq, const void *data, size_t len)
{
	struct replay *r = arg;
	int rc = core_restore(r->ctld->core, data, len, &r->err);

	r->chunks++;
	r->ctld->snapshots.seq = seq;
	r->ctld->snapshots.bytes += len;
	return rc < 0 ? err_prefix(&r->err, rc, "snapshot at record %llu", (unsigned long long)seq)
		      : 0;
}

/* Rows that the history already has are skipped; to write one twice would change nothing. */
int replay_record(struct ctld *c, uint64_t seq, const void *data, size_t len, struct err *err)
{
	struct output out = {0};
	int rc = core_replay(c->core, data, len, &out, err);

	if (rc < 0)
		return err_prefix(err, rc, "record %llu", (unsigned long long)seq);
	snapshots_record(&c->snapshots, len);
	if (seq <= c->found.history_seq)
		return 0;
	for (size_t i = 0; i < out.effect_count; i++)
		if (out.effects[i].kind == EFFECT_HISTORY ||
		    out.effects[i].kind == EFFECT_JOB_EVENTS)
			history_add(c->history, &out.effects[i]);
	history_mark(c->history, seq);
	return 0;
}

static int on_record(void *arg, uint64_t seq, const void *data, size_t len)
{
	struct replay *r = arg;

	r->records++;
	return replay_record(r->ctld, seq, data, len, &r->err);
}

/* The log and the state directory must belong to the same cluster. */
static int check_cluster(struct ctld *c, struct err *err)
{
	static const uint8_t none[16];

	if (core_seq(c->core) == 0 && memcmp(core_cluster_id(c->core), none, 16) == 0) {
		core_set_cluster(c->core, c->found.cluster_id);
		return 0;
	}
	if (memcmp(core_cluster_id(c->core), c->found.cluster_id, 16) != 0)
		return err_set(err, -EINVAL,
			       "%s: the log belongs to another cluster than the state directory",
			       c->conf->state_dir);
	return 0;
}

int replay_state(struct ctld *c, struct err *err)
{
	struct replay r = {.ctld = c};
	struct armada_error plugin_err = {""};
	int64_t start_us = clock_us(CLOCK_BOOTTIME);
	int rc = c->state->replay(c->state_handle, on_chunk, on_record, &r, &plugin_err);

	if (rc < 0 && r.err.text[0])
		return err_set(err, rc, "%s: %s", c->conf->state_dir, r.err.text);
	if (rc < 0)
		return err_set(err, rc, "%s: %s", c->conf->state_dir, plugin_err.text);
	if (c->found.torn_records)
		log_notice("removed %llu incomplete, unacknowledged records at the end of the log",
			   (unsigned long long)c->found.torn_records);
	log_notice("replayed %llu records after a snapshot of %llu chunks in %s",
		   (unsigned long long)r.records, (unsigned long long)r.chunks,
		   duration_words(clock_us(CLOCK_BOOTTIME) - start_us).text);
	return check_cluster(c, err);
}
