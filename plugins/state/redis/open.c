/*
 * Making, opening and closing an engine.
 *
 * The local directory has the history, the mark and the lock of one controller. A controller that is new
 * gets it from open, with the cluster id of the store. Nothing is written to the store before its
 * configuration and its data have been checked.
 */
#include "open.h"
#include "../sqlite/chain.h"
#include "../sqlite/db.h"
#include "../sqlite/dir.h"
#include "../sqlite/error.h"
#include "../sqlite/history_file.h"
#include "../sqlite/mark.h"
#include "../sqlite/reserve.h"
#include "../sqlite/store.h"
#include "controllers.h"
#include "head.h"
#include "lead.h"
#include "link.h"
#include "options.h"
#include "script.h"
#include "sync.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

int engine_new(struct engine **ret_engine, const char *dir,
	       const struct armada_option_value *values, const struct armada_host *host,
	       struct armada_error *err)
{
	struct engine *e = calloc(1, sizeof(*e));
	uint8_t id[16];
	int rc;

	if (!e || !store_setup(&e->local, dir, values, host)) {
		free(e);
		return fail(err, -ENOMEM, "%s: cannot be opened: out of memory", dir);
	}
	pthread_mutex_init(&e->lock, NULL);
	e->main.engine = e->side.engine = e->feed.engine = e;
	randombytes_buf(id, sizeof(id));
	sodium_bin2hex(e->incarnation, sizeof(e->incarnation), id, sizeof(id));
	snprintf(e->self, sizeof(e->self), "armctld");
	e->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	rc = e->wake_fd < 0 ? fail_sys(err, -errno, "eventfd") : options_read(e, values, err);
	if (rc) {
		engine_close(e);
		return rc;
	}
	*ret_engine = e;
	return 0;
}

void engine_close(void *handle)
{
	struct engine *e = handle;

	if (!e)
		return;
	link_close(&e->main);
	link_close(&e->side);
	link_close(&e->feed);
	if (e->local.mark_fd >= 0)
		fdatasync(e->local.mark_fd);
	store_release(&e->local, false);
	controllers_forget(e);
	options_free(e);
	if (e->wake_fd >= 0)
		close(e->wake_fd);
	pthread_mutex_destroy(&e->lock);
	free(e);
}

void engine_interrupt(void *handle, bool on)
{
	struct engine *e = handle;
	uint64_t one = 1;

	if (on ? write(e->wake_fd, &one, sizeof(one)) < 0 : read(e->wake_fd, &one, sizeof(one)) < 0)
		return; /* it is as it should be already */
}

/* Directory, lock, and no state of another plugin. */
int engine_open_dir(struct engine *e, struct armada_error *err)
{
	struct store *s = &e->local;
	int rc = dir_make(s->dir, err);

	if (!rc)
		rc = dir_open(s->dir, &s->dir_fd, err);
	if (rc)
		return rc;
	if (dir_has(s->dir_fd, "log.db"))
		return fail(
			err, -EEXIST,
			"%s holds the state of state/sqlite: `armctld --migrate sqlite redis` moves it",
			s->dir);
	rc = dir_check_files(s->dir_fd, s->dir, err);
	return rc ? rc : dir_lock(s->dir_fd, s->dir, &s->lock_fd, err);
}

/* No key may exist under the prefix. */
static int check_empty(struct engine *e, struct armada_error *err)
{
	char pattern[KEY_BYTES], cursor[32] = "0";
	int rc = 0;

	snprintf(pattern, sizeof(pattern), "%s*", e->prefix);
	do {
		redisReply *r = ASK(e, e->main.conn, &rc, err, "SCAN", cursor, "MATCH", pattern,
				    "COUNT", "1000");

		if (!r)
			return rc;
		snprintf(cursor, sizeof(cursor), "%s", r->element[0]->str);
		if (r->element[1]->elements)
			rc = fail(
				err, -EEXIST,
				"%s already holds '%s' under the prefix %s; nothing was changed. A "
				"controller that joins a cluster needs no --init",
				conn_name(e->main.conn), r->element[1]->element[0]->str, e->prefix);
		freeReplyObject(r);
	} while (!rc && strcmp(cursor, "0") != 0);
	return rc;
}

int engine_write_head(struct engine *e, uint64_t seq, uint64_t epoch, struct armada_error *err)
{
	struct command *c = calloc(1, sizeof(*c));
	char keys[KEYS_BYTES], set[COPIES_MAX * NAME_BYTES];
	uint8_t hash[HASH_BYTES];
	size_t len = 0;
	int rc;

	if (!c)
		abort();
	chain_genesis(e->local.cluster_id, hash);
	e->set.count = 0;
	for (size_t i = 0; i < e->server_count; i++) {
		len += (size_t)snprintf(set + len, sizeof(set) - len, "%s%s", i ? " " : "",
					e->servers[i]);
		snprintf(e->set.names[e->set.count++], NAME_BYTES, "%s", e->servers[i]);
	}
	script_begin(&e->main, c, SCRIPT_INIT, keys, "head", "log");
	command_blob(c, e->local.cluster_id, CLUSTER_ID_BYTES);
	command_blob(c, hash, HASH_BYTES);
	command_text(c, set);
	command_u64(c, seq);
	command_u64(c, epoch);
	rc = conn_send(e, e->main.conn, c, err);
	if (!rc)
		rc = sync_send(&e->main, err);
	if (!rc)
		rc = script_read(&e->main, err);
	if (!rc)
		rc = sync_wait(&e->main, NULL, true, err);
	free(c);
	return rc;
}

int engine_init(const char *dir, const uint8_t cluster_id[CLUSTER_ID_BYTES],
		const struct armada_option_value *values, struct armada_error *err)
{
	struct engine *e = NULL;
	int rc = engine_new(&e, dir, values, NULL, err);

	if (rc)
		return rc;
	rc = engine_open_dir(e, err);
	if (!rc && (dir_has(e->local.dir_fd, "history.db") || dir_has(e->local.dir_fd, "log.mark")))
		rc = fail(
			err, -EEXIST,
			"%s holds history.db or log.mark of another state; move them away first. Nothing "
			"was changed",
			dir);
	if (!rc)
		rc = link_connect(&e->main, err);
	if (!rc)
		rc = check_empty(e, err);
	if (!rc) {
		memcpy(e->local.cluster_id, cluster_id, CLUSTER_ID_BYTES);
		rc = store_init_history(&e->local, 0, err);
	}
	if (!rc)
		rc = mark_create(e->local.dir_fd, err);
	if (!rc)
		rc = engine_write_head(e, 0, 0, err);
	engine_close(e);
	return rc;
}

/* The history and the mark, which a new controller gets here. */
static int open_local(struct engine *e, struct armada_error *err)
{
	struct store *s = &e->local;
	struct armada_error why = {""};
	struct mark mark = {0};
	int history = 0, rc = 0;

	reserve_open(s);
	if (!dir_has(s->dir_fd, "history.db") && !dir_has(s->dir_fd, "log.mark"))
		rc = store_init_history(s, 0, err);
	if (!rc && !dir_has(s->dir_fd, "log.mark"))
		rc = mark_create(s->dir_fd, err);
	if (rc)
		return rc;
	rc = mark_open(s, &mark, err);
	if (rc < 0)
		return rc;
	e->acked.seq = mark.seq;
	memcpy(e->acked.hash, mark.hash, HASH_BYTES);
	history = history_open(s, s->busy_us, &why);
	if (history && !history_is_damage(history)) {
		*err = why;
		return history;
	}
	/* a new one has nothing, and the host gets from others what the log does not have any more */
	if (history)
		atomic_store(&s->history_seq, 0);
	rc = store_settle_history(s, history ? why.text : NULL, err);
	return rc;
}

/* The cluster of the store is that of a new controller. */
static int learn_cluster(struct engine *e, struct armada_error *err)
{
	struct mark mark = {0};
	struct head h;
	int rc = link_connect(&e->main, err);

	if (!rc)
		rc = head_read(&e->main, &h, err);
	if (rc)
		return rc;
	if (!h.exists) {
		/* nothing was there ever, or it is gone */
		mark_read(e->local.dir_fd, &mark);
		e->acked.seq = mark.seq;
		return head_check(&e->main, &h, err);
	}
	memcpy(e->local.cluster_id, h.cluster_id, CLUSTER_ID_BYTES);
	return 0;
}

static int take(struct engine *e, struct head *h, struct armada_error *err)
{
	int rc = engine_open_dir(e, err);

	if (!rc)
		lead_read_owner(e);
	if (!rc)
		rc = learn_cluster(e, err);
	if (!rc)
		rc = open_local(e, err);
	if (rc)
		return rc;
	/* from now on operations on the history are allowed */
	atomic_store(&e->local.failed, false);
	return head_check(&e->main, h, err);
}

int engine_open(void **ret_handle, const char *dir, const struct armada_option_value *values,
		const struct armada_host *host, struct armada_state_info *ret_info,
		struct armada_error *err)
{
	struct engine *e = NULL;
	struct head h;
	int rc = engine_new(&e, dir, values, host, err);

	if (rc)
		return rc;
	rc = take(e, &h, err);
	if (rc) {
		engine_close(e);
		return rc;
	}
	set_note(e, &h.set);
	atomic_store(&e->local.last_seq, e->acked.seq);
	atomic_store(&e->local.snapshot_seq, h.snapshot.at.seq);
	*ret_info = (struct armada_state_info){
		.last_seq = h.end.seq,
		.snapshot_seq = h.snapshot.at.seq,
		.history_seq = atomic_load(&e->local.history_seq),
	};
	memcpy(ret_info->cluster_id, h.cluster_id, CLUSTER_ID_BYTES);
	*ret_handle = e;
	return 0;
}
