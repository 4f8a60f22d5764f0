/*
 * armctld --recover. Input: a state directory whose log is damaged. Output: a report of what is kept and what
 * is lost; with --yes a new log.
 *
 * The state plugin reads what it can. The core folds what is kept, and its snapshot begins the new log. In
 * this snapshot record number, epoch and the next job id are raised far above all that may have been used in
 * the records that are lost. So nodes, which remember epochs and the keys of attempts, take no new order for
 * an old one, and no id of a lost job is used again. Nodes report what runs there when they register, as
 * after every restart.
 */
#include "armctld/recover.h"

#include "armctld/plugins.h"
#include "armctld/policy.h"
#include "armctld/setup.h"
#include "core/core.h"
#include "proto/msg.h"
#include "util/mem.h"
#include "util/units.h"

#include <errno.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { JUMP_SEQ = 1000000, JUMP_EPOCH = 1000, JUMP_JOB = 1000000 };

struct recovery {
	struct conf *conf;
	struct policy *policy;
	struct plugins plugins;
	struct core *core;
	struct arena *arena;
	struct armada_state_salvage found;
	int64_t last_us; /* wall clock of the last record that is kept */
	uint64_t readable, submitted, ended;
	uint64_t first_job, last_job; /* submitted in lost records */
	struct arena *packed;         /* of the chunks */
	struct armada_state_chunk *chunks;
	size_t chunk_count, chunk_cap;
	uint64_t seq; /* of the snapshot */
	struct err err;
};

static Armada__Record *unpack(struct recovery *r, const void *data, size_t len)
{
	arena_clear(r->arena);
	return msg_unpack_own(&armada__record__descriptor, data, len, r->arena);
}

static int on_chunk(void *arg, uint64_t seq, const void *data, size_t len)
{
	struct recovery *r = arg;
	const Armada__Record *record = unpack(r, data, len);

	(void)seq;
	if (record)
		r->last_us = record->wall_us;
	return core_restore(r->core, data, len, &r->err);
}

static int on_record(void *arg, uint64_t seq, const void *data, size_t len)
{
	struct recovery *r = arg;
	const Armada__Record *record = unpack(r, data, len);
	struct output out = {0};

	(void)seq;
	if (record)
		r->last_us = record->wall_us;
	return core_replay(r->core, data, len, &out, &r->err);
}

static int on_lost(void *arg, uint64_t seq, const void *data, size_t len)
{
	struct recovery *r = arg;
	const Armada__Record *record = unpack(r, data, len);

	(void)seq;
	r->readable++;
	for (size_t i = 0; record && i < record->n_events; i++) {
		const Armada__Event *e = record->events[i];

		if (e->kind_case == ARMADA__EVENT__KIND_JOB_SUBMITTED) {
			uint64_t id = e->job_submitted->id;

			if (!r->submitted++ || id < r->first_job)
				r->first_job = id;
			if (id > r->last_job)
				r->last_job = id;
		}
		r->ended += e->kind_case == ARMADA__EVENT__KIND_ELEMENT_ENDED;
	}
	return 0;
}

static int load(struct recovery *r, const char *conf_file, const char *name)
{
	char host[256] = "localhost";
	const struct armada_state_ops *ops;
	int rc = sodium_init() < 0 ? err_set(&r->err, -ENOSYS, "libsodium cannot be used here")
				   : conf_load(&r->conf, conf_file, &r->err);

	gethostname(host, sizeof(host) - 1);
	if (rc == 0)
		rc = setup_take_name(r->conf, name, host, &r->err);
	if (rc == 0)
		rc = policy_new(&r->policy, r->conf, &r->err);
	if (rc == 0)
		rc = setup_check_user(r->conf, r->policy, &r->err);
	if (rc == 0)
		rc = plugins_load(&r->plugins, r->conf, &r->err);
	if (rc < 0)
		return rc;
	ops = r->plugins.kinds[ARMADA_PLUGIN_STATE].ops;
	if (!ops->salvage || !ops->replace_log)
		return err_set(&r->err, -ENOTSUP, "the state plugin cannot recover a log");
	r->core = core_new(&r->policy->core);
	r->arena = arena_new(0);
	return 0;
}

static int salvage(struct recovery *r)
{
	const struct plugin *p = &r->plugins.kinds[ARMADA_PLUGIN_STATE];
	const struct armada_state_ops *ops = p->ops;
	struct armada_error why = {""};
	int rc = ops->salvage(r->conf->state_dir, p->values, &r->found, on_chunk, on_record,
			      on_lost, r, &why);

	if (rc < 0 && r->err.text[0])
		return rc;
	return rc < 0 ? err_set(&r->err, rc, "%s: %s", r->conf->state_dir, why.text) : 0;
}

static void print_lost(const struct recovery *r)
{
	const struct armada_state_salvage *v = &r->found;

	if (v->known_seq > v->kept_seq)
		printf("Lost:   records %" PRIu64 " to %" PRIu64 " at least", v->kept_seq + 1,
		       v->known_seq);
	else
		printf("Lost:   what was recorded after record %" PRIu64, v->kept_seq);
	if (r->readable)
		printf("; %" PRIu64 " of them can be read, with %" PRIu64
		       " submitted jobs and %" PRIu64 " ends",
		       r->readable, r->submitted, r->ended);
	if (r->submitted)
		printf(" (jobs %" PRIu64 " to %" PRIu64 ")", r->first_job, r->last_job);
	printf("\n        Jobs submitted then are gone, changes made then are undone, and jobs that ended "
	       "then may run again.\n");
}

static void print_report(const struct recovery *r)
{
	const struct armada_state_salvage *v = &r->found;
	char when[48];

	format_time(r->last_us, when, sizeof(when));
	printf("Damage: %s\n", v->damage);
	printf("Kept:   the state up to record %" PRIu64 ", of %s", v->kept_seq, when);
	if (v->snapshot_seq)
		printf(": the snapshot at record %" PRIu64 " and %" PRIu64 " records after it",
		       v->snapshot_seq, v->kept_seq - v->snapshot_seq);
	putchar('\n');
	print_lost(r);
	printf("Nodes:  they are asked what runs there when they register; tasks that are not kept are "
	       "ended.\n"
	       "Later:  ids of new jobs begin %d higher, so that no id of a lost job is used again.\n",
	       JUMP_JOB);
}

/* A chunk of the core's snapshot, raised. */
static void add_chunk(void *arg, const void *data, size_t len)
{
	struct recovery *r = arg;
	Armada__Record *record = unpack(r, data, len);
	CLEANUP_BUF struct buf body = {0};

	if (!record)
		abort(); /* the core has just packed it */
	record->seq = r->seq;
	record->epoch += JUMP_EPOCH;
	for (size_t i = 0; i < record->n_events; i++) {
		Armada__Event *e = record->events[i];

		if (e->kind_case == ARMADA__EVENT__KIND_SNAP_HEAD) {
			e->snap_head->next_job += JUMP_JOB;
			e->snap_head->next_replacement += JUMP_JOB;
		}
	}
	msg_pack(record, &body);
	GROW(r->chunks, r->chunk_cap, r->chunk_count + 1);
	r->chunks[r->chunk_count++] = (struct armada_state_chunk){
		.data = arena_memdup(r->packed, body.data, body.len),
		.len = body.len,
	};
}

static void log_nothing(int level, const char *text)
{
	(void)level, (void)text;
}

/* Open the new state, and note that the history lacks nothing that a replay would write again. */
static int settle(struct recovery *r)
{
	static const struct armada_host host = {.abi = ARMADA_PLUGIN_ABI, .log = log_nothing};
	const struct plugin *p = &r->plugins.kinds[ARMADA_PLUGIN_STATE];
	const struct armada_state_ops *ops = p->ops;
	struct armada_error why = {""};
	struct armada_state_info info;
	void *handle;
	int rc = ops->open(&handle, r->conf->state_dir, p->values, &host, &info, &why);

	if (rc == 0) {
		rc = ops->history_put(handle, info.last_seq, NULL, 0, NULL, 0, &why);
		ops->close(handle);
	}
	return rc < 0 ? err_set(&r->err, rc, "%s: the new log cannot be used: %s",
				r->conf->state_dir, why.text)
		      : 0;
}

static int act(struct recovery *r)
{
	const struct plugin *p = &r->plugins.kinds[ARMADA_PLUGIN_STATE];
	const struct armada_state_ops *ops = p->ops;
	struct armada_error why = {""};
	char suffix[64];
	int rc;

	r->seq = (r->found.known_seq > r->found.kept_seq ? r->found.known_seq : r->found.kept_seq) +
		 JUMP_SEQ;
	r->packed = arena_new(0);
	core_snapshot(r->core, add_chunk, r);
	rc = ops->replace_log(r->conf->state_dir, p->values, r->found.cluster_id, r->seq, r->chunks,
			      r->chunk_count, suffix, &why);
	free(r->chunks);
	arena_free(r->packed);
	if (rc < 0)
		return err_set(&r->err, rc, "%s: %s", r->conf->state_dir, why.text);
	printf("The damaged files were kept in %s with names that end with %s; the new log begins at "
	       "record %" PRIu64 ".\n",
	       r->conf->state_dir, suffix, r->seq);
	return settle(r);
}

static int recover(struct recovery *r, const char *conf_file, const char *name, bool yes)
{
	int rc = load(r, conf_file, name);

	if (rc == 0)
		rc = salvage(r);
	if (rc < 0)
		return rc;
	if (!r->found.damaged) {
		printf("The log in %s is good up to record %" PRIu64 ": nothing to recover.\n",
		       r->conf->state_dir, r->found.kept_seq);
		return 0;
	}
	print_report(r);
	if (yes)
		return act(r);
	printf("Nothing was changed. A good copy of the whole directory may lose less. To keep what is named "
	       "above: armctld --recover --yes\n");
	return 0;
}

int recover_state(const char *conf_file, const char *name, bool yes)
{
	struct recovery r = {0};
	int rc = recover(&r, conf_file, name, yes);

	if (rc < 0)
		fprintf(stderr, "armctld: %s\n", r.err.text);
	core_free(r.core);
	arena_free(r.arena);
	policy_free(r.policy);
	if (r.conf)
		conf_free(r.conf);
	plugins_done(&r.plugins);
	return rc < 0;
}
