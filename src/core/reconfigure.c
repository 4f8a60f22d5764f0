/*
 * Reconfiguration: a new policy from armada.conf, taken or only compared.
 *
 * Input: INPUT_POLICY with the new policy and the differences between the two files. Output: with
 * dry_run, a ReconfigureReply with one row for each change and its consequence for jobs; otherwise
 * the new policy takes effect, with a log line and a summary. Caveats: queues are compared with
 * their present state, not with the old file, because they may have been changed by request. Rows
 * above 10000 are only counted. The policy is borrowed and must stay valid until the next one.
 */
#include "core/reconfigure.h"

#include "conf/queue_text.h"
#include "core/admission/conf_queues.h"
#include "core/lifecycle/floating.h"
#include "core/lifecycle/node_labels.h"
#include "core/lifecycle/node_life.h"
#include "core/txn/effects.h"
#include "core/txn/reply.h"
#include "util/hostlist.h"
#include "util/log.h"
#include "util/mem.h"
#include "util/plural.h"

#include <inttypes.h>
#include <string.h>

enum { ROWS_MAX = 10000, SUMMARY_MAX = 800 };

/* Add a row; what and key are borrowed. */
static Armada__ConfChange *findings_add(struct findings *f, const char *what, const char *key)
{
	Armada__ConfChange *m = arena_alloc(f->txn->arena, sizeof(*m));

	armada__conf_change__init(m);
	m->what = (char *)what;
	m->key = (char *)key;
	f->list = grow(f->list, &f->cap, f->count + 1, sizeof(*f->list));
	f->list[f->count++] = m;
	return m;
}

/* ---- options, classes, nodes, plugins: differences between the files ---- */

/* The word for the entries of a list, and the function that notes what a change means for jobs. */
static const struct noun {
	const char *list, *word;
	const char *(*note)(struct findings *f, const struct conf_change *change);
} nouns[] = {
	{"priority_classes", "priority class", note_class},
	{"nodes", "node", note_nodes},
	{"accounts", "account", note_account},
};

static const struct noun *noun_of(const char *list)
{
	for (size_t i = 0; list && i < ARRAY_SIZE(nouns); i++)
		if (strcmp(nouns[i].list, list) == 0)
			return &nouns[i];
	return NULL;
}

static const char *what_of(struct findings *f, const struct conf_change *change)
{
	struct arena *a = f->txn->arena;
	const struct noun *noun = noun_of(change->list);
	CLEANUP_BUF struct buf names = {0};

	if (!change->list)
		return *change->section
			       ? arena_printf(a, "%s.%s", change->section, change->names[0])
			       : change->names[0];
	hostlist_compress(change->names, change->name_count, &names);
	return arena_printf(a, "%s %s", noun ? noun->word : change->list, (char *)names.data);
}

/* The total of a floating resource in effect, which may differ from the one in the old file; else NULL. */
static const char *total_now(struct findings *f, const struct conf_change *change)
{
	int r = change->list && strcmp(change->list, "floating") == 0 &&
				strcmp(change->key, "total") == 0
			? resource_index(change->names[0])
			: -1;

	return r < 0 ? NULL
		     : arena_printf(f->txn->arena, "%" PRId64,
				    f->txn->state->floating_total.amount[r]);
}

static void find_in_file(struct findings *f, const struct conf_change *change)
{
	const struct noun *noun = noun_of(change->list);
	Armada__ConfChange *m = findings_add(f, what_of(f, change), change->key);

	const char *total = total_now(f, change);

	m->before = (char *)(total ? total : change->before);
	m->after = (char *)change->after;
	m->refused = change->refused;
	f->refused |= change->refused;
	if (change->refused)
		m->note = (char *)"needs a restart of armctld";
	else if (noun)
		m->note = (char *)noun->note(f, change);
	else if (!change->list)
		m->note = (char *)note_option(f, change);
}

/* ---- queues: the file compared with the present state ---- */

static void find_in_queue(struct findings *f, const char *what, const struct queue *q,
			  const Armada__QueueSpec *next)
{
	struct arena *a = f->txn->arena;
	const Armada__QueueSpec *now = queue_spec(q, a);

	for (size_t i = 0; i < QUEUE_FIELDS; i++) {
		const struct queue_field *field = &queue_fields[i];
		const char *before = queue_field_text(field, now, a);
		const char *after = queue_field_text(field, next, a);
		Armada__ConfChange *m;

		if (strcmp(before, after) == 0)
			continue;
		m = findings_add(f, what, field->name);
		m->before = (char *)before;
		m->after = (char *)after;
		m->note = (char *)note_queue(f, q, m->key);
	}
}

static void find_declared(struct findings *f, const Armada__QueueSpec *p)
{
	struct txn *txn = f->txn;
	const char *what = arena_printf(txn->arena, "queue %s", p->name);
	const struct queue *q = queue_find(txn->state, p->name);
	const Armada__QueueSpec *next = conf_queues_spec(p, q, txn->arena);
	Armada__ConfChange *m;

	if (!q) {
		m = findings_add(f, what, "");
		m->after = (char *)queue_text(next, txn->arena);
		return;
	}
	if (!conf_queues_find(txn->policy, p->name)) {
		m = findings_add(f, what, "declared");
		m->before = (char *)"false";
		m->after = (char *)"true";
		m->note = (char *)"it was created by a request; from now on its fields come from "
				  "armada.conf";
	}
	find_in_queue(f, what, q, next);
}

static void find_undeclared(struct findings *f, const Armada__QueueSpec *p)
{
	const struct queue *q = queue_find(f->txn->state, p->name);
	Armada__ConfChange *m;

	if (!q || conf_queues_find(f->next, p->name))
		return;
	m = findings_add(f, arena_printf(f->txn->arena, "queue %s", p->name), "declared");
	m->before = (char *)"true";
	m->after = (char *)"false";
	m->note = (char *)note_queue(f, q, NULL);
}

static void find_all(struct findings *f)
{
	const struct conf_changes *changes = f->txn->in->changes;

	for (size_t i = 0; changes && i < changes->count; i++)
		if (!changes->list[i].list || strcmp(changes->list[i].list, "queues") != 0)
			find_in_file(f, &changes->list[i]);
	for (size_t i = 0; i < f->next->queue_count; i++)
		find_declared(f, &f->next->queues[i]);
	for (size_t i = 0; i < f->txn->policy->queue_count; i++)
		find_undeclared(f, &f->txn->policy->queues[i]);
}

/* ---- the answer ---- */

static void cut(struct findings *f)
{
	size_t more = f->count > ROWS_MAX ? f->count - ROWS_MAX : 0;

	if (!more)
		return;
	f->count = ROWS_MAX;
	findings_add(f, arena_printf(f->txn->arena, "and %zu more", more), "");
}

static void answer(struct findings *f)
{
	Armada__ReconfigureReply r = ARMADA__RECONFIGURE_REPLY__INIT;

	cut(f);
	r.changes = f->list;
	r.n_changes = f->count;
	reply(f->txn, MSG_RECONFIGURE_REPLY, &r);
}

/* One sentence: "3 changes: scheduler.rate, queue long (owners)". */
static const char *summary(const struct findings *f)
{
	CLEANUP_BUF struct buf text = {0};
	size_t i = 0;

	if (!f->count)
		return "no changes";
	buf_addf(&text, "%zu change%s: ", f->count, plural(f->count, "", "s"));
	for (; i < f->count && text.len < SUMMARY_MAX; i++) {
		const Armada__ConfChange *m = f->list[i];

		if (i && strcmp(m->what, f->list[i - 1]->what) == 0)
			buf_addf(&text, ", %s", m->key);
		else
			buf_addf(&text, "%s%.200s%s%s", i ? "; " : "", m->what, *m->key ? " " : "",
				 m->key);
	}
	if (i < f->count)
		buf_addf(&text, " and %zu more", f->count - i);
	return arena_strdup(f->txn->arena, (const char *)text.data);
}

void nodes_expect(struct txn *txn)
{
	for (const struct node *n = txn->state->nodes; n; n = n->hh.next) {
		node_emit_set(txn, n, NULL);
		node_check_minimum(txn, n);
	}
}

static void take(struct txn *txn, const struct findings *f)
{
	const char *text = summary(f);

	txn->policy = txn->in->policy;
	conf_queues_apply(txn);
	nodes_expect(txn);
	floating_follow(txn);
	txn->wants_round = true;
	effect_log(txn, LOG_NOTICE, "armada.conf was read again: %s", text);
	if (txn->in->conn)
		reply_ok(txn, "armada.conf was read again: %s", text);
}

void input_policy(struct txn *txn)
{
	struct findings f = {.txn = txn, .next = txn->in->policy};

	find_all(&f);
	if (txn->in->dry_run)
		answer(&f);
	else
		take(txn, &f);
	free(f.list);
}
