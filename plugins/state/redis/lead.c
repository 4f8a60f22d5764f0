/*
 * Leading.
 *
 * The epoch is taken by a script that compares epoch and beat with what was seen. Every write of a leader
 * raises the beat. Who wants to lead waits until the beat has not changed for a lease and a quarter, by its
 * own clock; the count begins anew when the primary is another process, since that one may have missed
 * beats.
 *
 * A lease that has run out does not end the lead: the leader sends nothing until it is renewed, and the store
 * refuses its writes once another one has taken the epoch. A new leader acts only after its first record is
 * on all copies, and then no copy has the old epoch.
 */
#include "lead.h"
#include "../sqlite/error.h"
#include "copies.h"
#include "link.h"
#include "script.h"
#include "sync.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void lead_observe(struct engine *e, const struct link *l, const struct head *h)
{
	if (e->beat_us && e->beat == h->beat && e->beat_epoch == h->epoch &&
	    strcmp(e->beat_run, l->run_id) == 0)
		return;
	e->beat = h->beat;
	e->beat_epoch = h->epoch;
	snprintf(e->beat_run, sizeof(e->beat_run), "%s", l->run_id);
	e->beat_us = now_us();
}

int lead_check(struct engine *e, struct armada_error *err)
{
	if (atomic_load(&e->stopped))
		return fail(
			err, -EUCLEAN,
			"%s: acknowledged records are missing in the store, and nothing more is "
			"written",
			e->local.dir);
	if (!atomic_load(&e->lease_until))
		return fail(err, -ESTALE, "this controller does not lead");
	return 0;
}

int lead_answer(struct engine *e, int rc)
{
	if (rc == -ESTALE || rc == -EUCLEAN)
		atomic_store(&e->lease_until, 0);
	return rc;
}

void lead_renewed(struct engine *e, int64_t start_us)
{
	int64_t until = start_us + e->lease_us, now = atomic_load(&e->lease_until);

	/* 0: another thread has seen that the lead is lost */
	while (now && now < until && !atomic_compare_exchange_weak(&e->lease_until, &now, until))
		;
}

int64_t lead_until(void *handle)
{
	struct engine *e = handle;

	return atomic_load(&e->lease_until);
}

/*
 * The file "owner" of the directory has the incarnation of the process that wanted to lead last. Whoever has
 * the lock of the directory knows that this process has ended, and need not wait for the end of its lease.
 */
void lead_read_owner(struct engine *e)
{
	int fd = openat(e->local.dir_fd, "owner", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	size_t want = sizeof(e->ended) - 1;

	if (fd < 0 || read(fd, e->ended, want) != (ssize_t)want)
		e->ended[0] = '\0';
	e->ended[want] = '\0';
	if (fd >= 0)
		close(fd);
}

/* A file that cannot be written costs the next process of this directory a wait. */
static void write_owner(struct engine *e)
{
	int fd =
		openat(e->local.dir_fd, "owner", O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	size_t len = strlen(e->incarnation);

	if (fd < 0)
		return;
	if (pwrite(fd, e->incarnation, len, 0) != (ssize_t)len && ftruncate(fd, 0) != 0)
		unlinkat(e->local.dir_fd, "owner", 0);
	close(fd);
}

static bool was_ours(const struct engine *e, const struct head *h)
{
	return strcmp(h->owner, e->incarnation) == 0 ||
	       (e->ended[0] && strcmp(h->owner, e->ended) == 0 && strcmp(h->leader, e->self) == 0);
}

/* How long the lease of another one, or the claim of an heir, may still last; 0: not at all. */
static int64_t taken_for(const struct engine *e, const struct head *h)
{
	int64_t lease_us = h->lease_us ? h->lease_us : e->lease_us;
	int64_t left = e->beat_us + lease_us + lease_us / 4 - now_us();

	if (was_ours(e, h))
		return 0;
	if (!h->leader[0] && (!h->heir[0] || strcmp(h->heir, e->self) == 0))
		return 0;
	return left > 0 ? left : 0;
}

static int busy(const struct head *h, int64_t wait_us, struct armada_replica_lead *ret_lead,
		struct armada_error *err)
{
	snprintf(ret_lead->leader, sizeof(ret_lead->leader), "%s",
		 h->leader[0] ? h->leader : h->heir);
	ret_lead->wait_us = wait_us;
	return fail(err, -EBUSY, "%s %s (epoch %" PRIu64 ")", ret_lead->leader,
		    h->leader[0] ? "leads, or its lease has not run out yet"
				 : "is the heir of the last leader",
		    h->epoch);
}

static int call_script(struct link *l, struct command *c, bool all, struct armada_error *err)
{
	int rc = conn_send(l->engine, l->conn, c, err), wait;

	if (!rc)
		rc = sync_send(l, err);
	if (!rc)
		rc = script_read(l, err);
	if (l->conn->err)
		return rc;
	wait = sync_wait(l, NULL, all, rc ? NULL : err);
	return rc ? rc : wait;
}

static int take_epoch(struct engine *e, struct link *l, const struct head *h, uint64_t epoch,
		      struct armada_error *err)
{
	struct command *c = calloc(1, sizeof(*c));
	char keys[KEYS_BYTES];
	int rc;

	if (!c)
		abort();
	script_begin(l, c, SCRIPT_LEAD, keys, "head", NULL);
	command_u64(c, h->epoch);
	command_u64(c, h->beat);
	command_u64(c, epoch);
	command_text(c, e->self);
	command_text(c, e->incarnation);
	command_u64(c, (uint64_t)e->lease_us);
	rc = call_script(l, c, false, err);
	free(c);
	return rc;
}

/* The end of the log is read only after the epoch is on a majority. */
static int begin(struct engine *e, struct link *l, uint64_t epoch, int64_t start_us,
		 struct armada_replica_lead *ret_lead, struct armada_error *err)
{
	struct head h;
	int rc = link_ready(l, &h, err);

	if (rc)
		return rc;
	if (h.epoch != epoch)
		return fail(err, -EAGAIN, "epoch %" PRIu64 " was taken meanwhile", h.epoch);
	set_note(e, &h.set);
	e->tail = h.end;
	e->led_to = h.end.seq;
	e->floor = 0;
	e->kept_from = h.older.at.seq;
	e->writing = (struct saved){0};
	l->uncertain = false;
	atomic_store(&e->epoch, epoch);
	atomic_store(&e->lease_until, start_us + e->lease_us);
	*ret_lead = (struct armada_replica_lead){
		.epoch = epoch, .last_seq = h.end.seq, .lease_us = e->lease_us};
	return 0;
}

int lead_take(void *handle, uint64_t least, struct armada_replica_lead *ret_lead,
	      struct armada_error *err)
{
	struct engine *e = handle;
	struct link *l = &e->main;
	int64_t start_us, wait_us;
	uint64_t epoch;
	struct head h;
	int rc = link_ready(l, &h, err);

	*ret_lead = (struct armada_replica_lead){0};
	if (rc)
		return rc;
	lead_observe(e, l, &h);
	wait_us = taken_for(e, &h);
	if (wait_us)
		return busy(&h, wait_us, ret_lead, err);
	set_note(e, &h.set);
	epoch = h.epoch + 1 > least ? h.epoch + 1 : least;
	write_owner(e);
	start_us = now_us();
	rc = take_epoch(e, l, &h, epoch, err);
	if (rc == -ECANCELED || rc == -ESTALE) {
		e->beat_us = 0; /* somebody writes: look again */
		return busy(&h, e->lease_us, ret_lead, err);
	}
	if (rc == -ENOEXEC) {
		link_close(l);
		rc = -EAGAIN;
	}
	return rc ? rc : begin(e, l, epoch, start_us, ret_lead, err);
}

static void begin_fenced(struct engine *e, struct link *l, struct command *c, enum script script,
			 char keys[KEYS_BYTES])
{
	script_begin(l, c, script, keys, "head", NULL);
	command_u64(c, atomic_load(&e->epoch));
	command_u64(c, acked_place(e).seq);
}

int lead_renew(void *handle, struct armada_error *err)
{
	struct engine *e = handle;
	struct link *l = &e->side;
	int64_t start_us = now_us();
	char keys[KEYS_BYTES];
	struct command *c;
	int rc = lead_check(e, err);

	if (!rc)
		rc = link_ready(l, NULL, err);
	if (rc)
		return lead_answer(e, rc);
	c = calloc(1, sizeof(*c));
	if (!c)
		abort();
	begin_fenced(e, l, c, SCRIPT_RENEW, keys);
	rc = call_script(l, c, false, err);
	free(c);
	if (rc == -ENOEXEC) {
		link_close(l);
		rc = -EAGAIN;
	}
	if (!rc)
		lead_renewed(e, start_us);
	if (rc == 0 || rc == -EAGAIN)
		copies_keep(e, l);
	return lead_answer(e, rc);
}

int lead_resign(void *handle, const char *heir, struct armada_error *err)
{
	struct engine *e = handle;
	struct link *l = &e->main;
	char keys[KEYS_BYTES];
	struct command *c;
	int rc = lead_check(e, err);

	if (rc)
		return rc;
	atomic_store(&e->lease_until, 0);
	rc = link_ready(l, NULL, err);
	if (rc)
		return rc;
	c = calloc(1, sizeof(*c));
	if (!c)
		abort();
	begin_fenced(e, l, c, SCRIPT_RESIGN, keys);
	command_text(c, heir ? heir : "");
	rc = call_script(l, c, false, err);
	free(c);
	return rc;
}

void lead_mark(void *handle, struct armada_replica_mark *ret_mark)
{
	struct place p = acked_place(handle);

	*ret_mark = (struct armada_replica_mark){.seq = p.seq, .len = HASH_BYTES};
	memcpy(ret_mark->hash, p.hash, HASH_BYTES);
}

int lead_check_mark(void *handle, const struct armada_replica_mark *mark, struct armada_error *err)
{
	struct engine *e = handle;
	struct place p = {.seq = mark->seq};
	struct head h;
	int rc;

	if (mark->len != HASH_BYTES)
		return fail(err, -EBADMSG,
			    "its mark has a hash of %zu bytes, and that of this release has %d",
			    mark->len, HASH_BYTES);
	memcpy(p.hash, mark->hash, HASH_BYTES);
	rc = link_ready(&e->main, &h, err);
	if (!rc)
		rc = head_has(&e->main, &h, &p, err);
	if (rc == -EUCLEAN) {
		acked_note(e, &p);
		atomic_store(&e->stopped, true);
	}
	return lead_answer(e, rc);
}
