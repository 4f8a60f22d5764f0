/*
 * Reads the spool at startup. Input: the meta file and the files of all attempts. Output: the
 * ledger, the list of live tasks, and effects, which are applied at once.
 *
 * The lock of an attempt's file shows whether its shepherd is alive. A live shepherd is adopted.
 * Without a lock, an end in the file counts; without an end, the mark `forked` decides: not forked
 * means that no task can have run, so it is started now; forked means that the attempt is lost.
 * Live shepherds are loaded first, because placement of new tasks needs the cpus and gpus of the
 * live ones.
 */
#define LOG_AREA LOG_AREA_JOB
#include "armd/launcher/load.h"

#include "armd/launcher/effects.h"
#include "armd/launcher/live.h"
#include "armd/launcher/reclaim.h"
#include "armd/launcher/start.h"
#include "armd/launcher/tasks.h"
#include "armd/spool/attempt.h"
#include "armd/spool/disk_reserve.h"
#include "util/log.h"
#include "util/mem.h"
#include "util/plural.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>

static const Armada__TaskEnd *new_end(struct arena *arena, Armada__EndCause cause, const char *why)
{
	Armada__TaskEnd *end = arena_alloc(arena, sizeof(*end));

	armada__task_end__init(end);
	end->cause = cause;
	end->text = arena_strdup(arena, why);
	return end;
}

/*
 * The end of an attempt: its exit record, or an end that follows from the shape of the file; NULL:
 * none.
 */
static const Armada__TaskEnd *end_of(struct launcher *l, const struct attempt *a)
{
	if (a->end)
		return a->end;
	if (a->damaged)
		return new_end(l->arena, ARMADA__END_CAUSE__END_LOST,
			       "its record in the node's spool is damaged");
	if (!a->has_order)
		return new_end(l->arena, ARMADA__END_CAUSE__END_REFUSED,
			       "the node refused the order");
	return NULL;
}

/* Name a damaged record, and say what follows from it. */
static void report_damage(const struct launcher *l, const struct attempt *a, bool dead)
{
	char name[ATTEMPT_NAME], key[64];

	if (!a->damaged && !a->end_damaged)
		return;
	attempt_name(&a->key, name);
	task_key_format(&a->key, key);
	if (a->damaged)
		log_error(
			"%s/tasks/%s: the record of the order of task %s is damaged: %s. The file stays, so "
			"that a late order cannot start this attempt again",
			l->spool.path, name, key,
			!dead    ? "the task goes on"
			: a->end ? "its end is intact and is reported"
				 : "the attempt is reported as lost, and the job may run again");
	else
		log_error(
			"%s/tasks/%s: the record of the end of task %s is damaged or incomplete: %s",
			l->spool.path, name, key,
			dead ? "its exit code is not known, the attempt is reported as lost, and the "
			       "job may run again"
			     : "its shepherd lives and writes it again");
}

static void load_live(struct launcher *l, const struct attempt *a)
{
	struct live_task *v = launcher_live_add(l, &a->key, 0);

	v->started = a->start_us != 0;
	v->place = a->place;
	v->ready = a->ready || v->started;
	ledger_load(l->ledger, &a->key, a->seq,
		    v->started ? LEDGER_STARTED
		    : v->ready ? LEDGER_READY
			       : LEDGER_ACCEPTED,
		    a->start_us, NULL, true, &l->effects);
}

/*
 * The attempt has no shepherd: the shepherd died when a task may have run, or armd died before it
 * forked one.
 */
static void load_dead(struct launcher *l, const struct attempt *a)
{
	ledger_load(l->ledger, &a->key, a->seq, a->start_us ? LEDGER_STARTED : LEDGER_ACCEPTED,
		    a->start_us, NULL, a->same_boot, &l->effects);
	if (ledger_find(l->ledger, &a->key) == LEDGER_ENDED)
		return;
	if (a->forked)
		launcher_task_lost(l, &a->key);
	else
		launcher_start_task(l, &a->key);
}

/*
 * Load one attempt, in one of two passes: first those with a live shepherd, then the others. A task
 * that is started in the second pass must not get the cpus and gpus of a live one.
 */
static int load_one(struct launcher *l, const struct task_key *key, bool lives, struct err *err)
{
	struct attempt a = {.key = *key};
	const Armada__TaskEnd *end;
	CLEANUP_CLOSE int fd = -1;
	bool dead;
	int rc = attempt_open(&l->spool, key, &fd, err);

	if (rc < 0)
		return rc;
	/* Test the lock before reading: a dead shepherd writes no more records. */
	dead = spool_lock_file(fd);
	if (dead == lives)
		return 0;
	rc = attempt_read(&l->spool, fd, l->arena, &a, err);
	if (rc < 0)
		return rc;
	close_fd(&fd);
	report_damage(l, &a, dead);
	/* While the shepherd lives, an end in the file is not final: an epilog may still run. */
	end = dead || !a.has_order ? end_of(l, &a) : NULL;
	if (end)
		ledger_load(l->ledger, key, a.seq, LEDGER_ENDED, a.start_us, end, true,
			    &l->effects);
	else if (dead)
		load_dead(l, &a);
	else
		load_live(l, &a);
	return 0;
}

static int load_attempts(struct launcher *l, size_t *ret_count, struct err *err)
{
	CLEANUP_FREE struct task_key *keys = NULL;
	size_t count;
	int rc = attempt_list(&l->spool, &keys, &count, err);

	for (size_t i = 0; rc == 0 && i < 2 * count; i++) {
		if (ledger_find(l->ledger, &keys[i % count]))
			continue;
		rc = load_one(l, &keys[i % count], i < count, err);
		launcher_apply_effects(l);
		arena_clear(l->arena);
		l->effects = (struct ledger_effects){.arena = l->arena};
	}
	if (rc == 0)
		*ret_count = count;
	return rc;
}

static int load_meta(struct launcher *l, struct err *err)
{
	struct ledger_meta meta = {.epoch = 0};
	CLEANUP_FREE struct task_key *keys = NULL;
	size_t count = 0;
	int found = spool_read_meta(&l->spool, &meta, err);

	if (found < 0)
		return found;
	if (!found) {
		int rc = attempt_list(&l->spool, &keys, &count, err);

		if (rc < 0)
			return rc;
		if (count > 0)
			return err_set(
				err, -EBADMSG,
				"%s/meta is missing, but the spool contains %zu %s: restore the file",
				l->spool.path, count, plural(count, "attempt", "attempts"));
		randombytes_buf(meta.node_id, sizeof(meta.node_id));
		randombytes_buf(meta.spool_id, sizeof(meta.spool_id));
	}
	if (!found || strcmp(meta.boot_id, l->spool.boot_id) != 0) {
		memcpy(meta.boot_id, l->spool.boot_id, sizeof(meta.boot_id));
		found = spool_write_meta(&l->spool, &meta, err);
	}
	spool_set_prefix(&l->spool, meta.spool_id);
	l->ledger = ledger_new(&meta);
	return found < 0 ? found : 0;
}

int launcher_load(struct launcher *l, struct err *err)
{
	size_t count = 0;
	int rc = load_meta(l, err);

	if (rc == 0)
		rc = load_attempts(l, &count, err);
	if (rc < 0)
		return rc;
	disk_reserve_fill(&l->spool);
	rc = spool_sync(&l->spool, err);
	if (rc < 0)
		return rc;
	launcher_reclaim_all(l);
	if (count > 0)
		log_notice("the spool contains %zu %s, %zu of them running", count,
			   plural(count, "attempt", "attempts"), l->live_count);
	return 0;
}
