/* What the ledger says must follow, done. */
#include "armd/attempt.h"
#include "armd/launcher_body.h"
#include "armd/lease.h"
#include "util/log.h"
#include "util/mem.h"

#include <errno.h>

static const struct taken_order *find_order(const struct launcher *l, const struct task_key *key)
{
	for (size_t i = 0; i < l->order_count; i++)
		if (l->orders[i].kind == ORDER_LAUNCH && task_key_equal(&l->orders[i].key, key))
			return &l->orders[i];
	return NULL;
}

static struct taken_order *find_step(const struct launcher *l, const struct task_key *key)
{
	for (size_t i = 0; i < l->order_count; i++)
		if (l->orders[i].kind == ORDER_STEP && !l->orders[i].used &&
		    task_key_equal(&l->orders[i].key, key))
			return &l->orders[i];
	return NULL;
}

static int do_write_meta(struct launcher *l, const struct ledger_effect *e, struct err *err)
{
	(void)e;
	return spool_write_meta(&l->spool, ledger_meta(l->ledger), err);
}

static int do_write_accept(struct launcher *l, const struct ledger_effect *e, struct err *err)
{
	const struct taken_order *o = find_order(l, &e->key);

	if (!o)
		return err_set(err, -ENOENT, "an order was accepted that did not come");
	return attempt_create(&l->spool, &e->key, e->seq, o->bytes, o->body, o->len, err);
}

static int do_write_end(struct launcher *l, const struct ledger_effect *e, struct err *err)
{
	CLEANUP_CLOSE int fd = -1;
	struct err missing;
	int rc = attempt_open(&l->spool, &e->key, &fd, &missing);

	if (rc < 0 && rc != -ENOENT)
		return err_set(err, rc, "%s", missing.text);
	if (rc == -ENOENT) {
		rc = attempt_create(&l->spool, &e->key, e->seq, NULL, NULL, 0, err);
		if (rc == 0)
			rc = attempt_open(&l->spool, &e->key, &fd, err);
	}
	return rc < 0 ? rc : attempt_write_end(fd, e->report->end, err);
}

static int do_start(struct launcher *l, const struct ledger_effect *e, struct err *err)
{
	(void)err;
	launcher_start_task(l, &e->key);
	return 0;
}

static int do_kill(struct launcher *l, const struct ledger_effect *e, struct err *err)
{
	(void)err;
	launcher_kill_task(l, &e->key, e->cause, e->grace_ms);
	return 0;
}

static int do_release(struct launcher *l, const struct ledger_effect *e, struct err *err)
{
	(void)err;
	launcher_release_task(l, &e->key);
	return 0;
}

static int do_signal(struct launcher *l, const struct ledger_effect *e, struct err *err)
{
	(void)err;
	launcher_signal_task(l, &e->key, e->cause);
	return 0;
}

static int do_step(struct launcher *l, const struct ledger_effect *e, struct err *err)
{
	struct taken_order *o = find_step(l, &e->key);

	(void)err;
	if (!o)
		return 0;
	o->used = true;
	launcher_step_task(l, &e->key, o->body, o->len);
	return 0;
}

/* Below the floor, so it does not matter if it comes back after a crash. */
static int do_forget(struct launcher *l, const struct ledger_effect *e, struct err *err)
{
	return attempt_remove(&l->spool, &e->key, err);
}

static int do_report(struct launcher *l, const struct ledger_effect *e, struct err *err)
{
	(void)err;
	launcher_report(l, e->report);
	return 0;
}

/* What the controller signed is ours: only when the stamp is, too, does it say when that was. */
static int do_lease(struct launcher *l, const struct ledger_effect *e, struct err *err)
{
	int64_t at_us = stamp_time_us(e->stamp);

	(void)err;
	if (!stamp_verify(l->stamp_key, e->stamp))
		return 0; /* of a launcher that was here before us */
	lease_renew(l->spool.lease, at_us);
	if (e->extension_ms > 0)
		lease_extend(l->spool.lease, at_us + e->extension_ms * 1000);
	launcher_say_stamp(l);
	return 0;
}

static int do_reboot(struct launcher *l, const struct ledger_effect *e, struct err *err)
{
	(void)e;
	(void)err;
	launcher_reboot(l);
	return 0;
}

static const struct action {
	bool write;
	int (*run)(struct launcher *l, const struct ledger_effect *e, struct err *err);
} actions[] = {
	[LEDGER_WRITE_META] = {true, do_write_meta},
	[LEDGER_WRITE_ACCEPT] = {true, do_write_accept},
	[LEDGER_WRITE_END] = {true, do_write_end},
	[LEDGER_START] = {false, do_start},
	[LEDGER_KILL] = {false, do_kill},
	[LEDGER_FORGET] = {false, do_forget},
	[LEDGER_REPORT] = {false, do_report},
	[LEDGER_RELEASE] = {false, do_release},
	[LEDGER_STEP] = {false, do_step},
	[LEDGER_SIGNAL] = {false, do_signal},
	[LEDGER_LEASE] = {false, do_lease},
	[LEDGER_REBOOT] = {false, do_reboot},
};

static int run_all(struct launcher *l, const struct ledger_effects *list, bool writes)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < list->count; i++) {
		const struct action *a = &actions[list->list[i].kind];

		if (a->write == writes)
			rc = a->run(l, &list->list[i], &l->fatal);
	}
	return rc;
}

/*
 * All writes of a turn, one sync of the new names, then the rest. A write that is moved before
 * another key's effect is only durable earlier than it had to be. Effects may have effects: a
 * shepherd that cannot be forked is an end.
 */
void launcher_carry_out(struct launcher *l)
{
	while (l->effects.count > 0 && !l->fatal.text[0]) {
		struct ledger_effects now = l->effects;

		l->effects = (struct ledger_effects){.arena = l->arena};
		if (run_all(l, &now, true) == 0 && spool_sync(&l->spool, &l->fatal) == 0)
			run_all(l, &now, false);
	}
}
