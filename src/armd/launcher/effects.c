/*
 * Applies the effects that the ledger returned: writes to the spool, starts, signals and kills
 * tasks, sends reports. Input: l->effects. Output: none; a failed write sets l->fatal and ends the
 * launcher.
 *
 * All writes of an iteration come first and share one sync of the directory. A write may be moved
 * before the effect of another key: it is then only durable earlier than needed. An effect may add
 * further effects, for example when a shepherd cannot be forked; the loop applies these too.
 */
#include "armd/launcher/effects.h"

#include "armd/launcher/network_out.h"
#include "armd/launcher/output_reads.h"
#include "armd/launcher/reboot.h"
#include "armd/launcher/shepherd_out.h"
#include "armd/launcher/start.h"
#include "armd/spool/attempt.h"
#include "armd/spool/lease.h"
#include "util/mem.h"

#include <errno.h>

static const struct received_order *find_order(const struct launcher *l, enum order_kind kind,
					       const struct task_key *key)
{
	for (size_t i = 0; i < l->order_count; i++)
		if (l->orders[i].kind == kind && task_key_equal(&l->orders[i].key, key))
			return &l->orders[i];
	return NULL;
}

/* The next order of a kind whose effects are applied in the order in which they arrived. key NULL: any. */
static struct received_order *take_next(const struct launcher *l, enum order_kind kind,
					const struct task_key *key)
{
	for (size_t i = 0; i < l->order_count; i++)
		if (l->orders[i].kind == kind && !l->orders[i].used &&
		    (!key || task_key_equal(&l->orders[i].key, key))) {
			l->orders[i].used = true;
			return &l->orders[i];
		}
	return NULL;
}

/* Each settings order replaces those before it. */
static const struct received_order *find_settings(const struct launcher *l,
						  const struct task_key *key)
{
	for (size_t i = l->order_count; i > 0; i--)
		if (l->orders[i - 1].kind == ORDER_SETTINGS &&
		    task_key_equal(&l->orders[i - 1].key, key))
			return &l->orders[i - 1];
	return NULL;
}

static int do_write_meta(struct launcher *l, const struct ledger_effect *e, struct err *err)
{
	(void)e;
	return spool_write_meta(&l->spool, ledger_meta(l->ledger), err);
}

static int do_write_accept(struct launcher *l, const struct ledger_effect *e, struct err *err)
{
	const struct received_order *o = find_order(l, ORDER_LAUNCH, &e->key);

	if (!o)
		return err_set(err, -ENOENT, "an effect names an order that was not received");
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

static void do_start(struct launcher *l, const struct ledger_effect *e)
{
	launcher_start_task(l, &e->key);
}

static void do_kill(struct launcher *l, const struct ledger_effect *e)
{
	const struct received_order *o = find_order(l, ORDER_KILL, &e->key);

	launcher_kill_task(l, e, o ? (const char *)o->body : NULL);
}

static void do_release(struct launcher *l, const struct ledger_effect *e)
{
	launcher_release_task(l, &e->key);
}

static void do_signal(struct launcher *l, const struct ledger_effect *e)
{
	launcher_signal_task(l, &e->key, e->cause, (uint64_t)e->grace_ms);
}

static void do_step(struct launcher *l, const struct ledger_effect *e)
{
	const struct received_order *o = take_next(l, ORDER_STEP, &e->key);

	if (o)
		launcher_step_task(l, &e->key, e->number, o->body, o->len);
}

static void do_output(struct launcher *l, const struct ledger_effect *e)
{
	const struct received_order *o = take_next(l, ORDER_OUTPUT, NULL);

	(void)e;
	if (o)
		launcher_read_output(l, o);
}

static void do_settings(struct launcher *l, const struct ledger_effect *e)
{
	const struct received_order *o = find_settings(l, &e->key);

	if (o)
		launcher_settings_task(l, &e->key, o->body, o->len);
}

/* The order is below the floor, so a crash that restores the file does no harm. */
static int do_forget(struct launcher *l, const struct ledger_effect *e, struct err *err)
{
	return attempt_remove(&l->spool, &e->key, err);
}

static void do_report(struct launcher *l, const struct ledger_effect *e)
{
	launcher_send_report(l, e->report);
}

/*
 * Apply a lease order. The controller's signature was checked; the stamp has the time of the
 * last contact, and counts only if this launcher made it.
 */
static void do_lease(struct launcher *l, const struct ledger_effect *e)
{
	int64_t at_us = stamp_time_us(e->stamp);

	if (!stamp_verify(l->stamp_key, e->stamp))
		return; /* made by an earlier launcher */
	lease_renew(l->spool.lease, at_us);
	if (e->extension_ms > 0)
		lease_extend(l->spool.lease, at_us + e->extension_ms * 1000);
	launcher_send_stamp(l);
}

static void do_reboot(struct launcher *l, const struct ledger_effect *e)
{
	(void)e;
	launcher_reboot(l);
}

static const struct action {
	bool write; /* before the other effects, with one sync for all of them */
	int (*run)(struct launcher *l, const struct ledger_effect *e, struct err *err);
	void (*follow)(struct launcher *l, const struct ledger_effect *e); /* cannot fail */
} actions[] = {
	[LEDGER_WRITE_META] = {true, do_write_meta, NULL},
	[LEDGER_WRITE_ACCEPT] = {true, do_write_accept, NULL},
	[LEDGER_WRITE_END] = {true, do_write_end, NULL},
	[LEDGER_FORGET] = {false, do_forget, NULL},
	[LEDGER_START] = {false, NULL, do_start},
	[LEDGER_KILL] = {false, NULL, do_kill},
	[LEDGER_REPORT] = {false, NULL, do_report},
	[LEDGER_RELEASE] = {false, NULL, do_release},
	[LEDGER_STEP] = {false, NULL, do_step},
	[LEDGER_OUTPUT] = {false, NULL, do_output},
	[LEDGER_SIGNAL] = {false, NULL, do_signal},
	[LEDGER_SETTINGS] = {false, NULL, do_settings},
	[LEDGER_LEASE] = {false, NULL, do_lease},
	[LEDGER_REBOOT] = {false, NULL, do_reboot},
};

static int run_all(struct launcher *l, const struct ledger_effects *list, bool writes)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < list->count; i++) {
		const struct action *a = &actions[list->list[i].kind];

		if (a->write != writes)
			continue;
		if (a->run)
			rc = a->run(l, &list->list[i], &l->fatal);
		else
			a->follow(l, &list->list[i]);
	}
	return rc;
}

/*
 * Apply all writes of the iteration, sync the new names once, then apply the rest. Effects may add
 * effects.
 */
void launcher_apply_effects(struct launcher *l)
{
	while (l->effects.count > 0 && !l->fatal.text[0]) {
		struct ledger_effects now = l->effects;

		l->effects = (struct ledger_effects){.arena = l->arena};
		if (run_all(l, &now, true) == 0 && spool_sync(&l->spool, &l->fatal) == 0)
			run_all(l, &now, false);
	}
}
