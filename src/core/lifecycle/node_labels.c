/*
 * Labels, taints and resources of nodes (node_labels.h describes the layers).
 *
 * Input: a registration, a request of an administrator, or a reconfiguration. Output: one node_set
 * event with the merged labels and taints and with the layers, unless nothing changed. node_set
 * replaces the whole description of the node; so each change starts from a copy of the current one.
 */
#include "core/lifecycle/node_labels.h"

#include "conf/node_table.h"
#include "conf/quantity.h"
#include "conf/taint.h"
#include "core/txn/emit.h"

#include <errno.h>
#include <string.h>

enum { LABELS_MAX = 1024, KEY_LONGEST = 255 };

/* A growing list in the arena of the input. */
struct labels {
	Armada__Label **list;
	size_t count;
};
struct taints {
	Armada__Taint **list;
	size_t count;
};

static void put_label(struct txn *txn, struct labels *to, const char *key, size_t key_len,
		      const char *value)
{
	Armada__Label *l;

	for (size_t i = 0; i < to->count; i++)
		if (strlen(to->list[i]->key) == key_len &&
		    memcmp(to->list[i]->key, key, key_len) == 0) {
			to->list[i]->value = arena_strdup(txn->arena, value);
			return;
		}
	l = arena_alloc(txn->arena, sizeof(*l));
	armada__label__init(l);
	l->key = arena_printf(txn->arena, "%.*s", (int)key_len, key);
	l->value = arena_strdup(txn->arena, value);
	to->list[to->count++] = l;
}

static void put_taint(struct txn *txn, struct taints *to, const Armada__Taint *from)
{
	Armada__Taint *t = arena_alloc(txn->arena, sizeof(*t));
	size_t at = 0;

	armada__taint__init(t);
	t->key = arena_strdup(txn->arena, from->key);
	t->value = arena_strdup(txn->arena, from->value);
	t->effect = arena_strdup(txn->arena, from->effect);
	while (at < to->count && strcmp(to->list[at]->key, t->key) != 0)
		at++;
	to->list[at] = t;
	if (at == to->count)
		to->count++;
}

static const struct conf_node *conf_entry(const struct txn *txn, const char *name)
{
	for (size_t i = 0; i < txn->policy->node_count; i++)
		if (strcmp(txn->policy->nodes[i].name, name) == 0)
			return &txn->policy->nodes[i];
	return NULL;
}

static void merge_labels(struct txn *txn, Armada__NodeSet *set)
{
	const struct conf_node *p = conf_entry(txn, set->name);
	struct labels all = {0};

	all.list = arena_alloc(txn->arena,
			       (set->n_own_labels + set->n_set_labels + (p ? p->label_count : 0)) *
				       sizeof(*all.list));
	for (size_t i = 0; i < set->n_own_labels; i++)
		put_label(txn, &all, set->own_labels[i]->key, strlen(set->own_labels[i]->key),
			  set->own_labels[i]->value);
	for (size_t i = 0; p && i < p->label_count; i++) {
		const char *equals = strchr(p->labels[i], '=');

		if (equals)
			put_label(txn, &all, p->labels[i], (size_t)(equals - p->labels[i]),
				  equals + 1);
	}
	for (size_t i = 0; i < set->n_set_labels; i++)
		put_label(txn, &all, set->set_labels[i]->key, strlen(set->set_labels[i]->key),
			  set->set_labels[i]->value);
	set->labels = all.list;
	set->n_labels = all.count;
}

static void merge_taints(struct txn *txn, Armada__NodeSet *set)
{
	const struct conf_node *p = conf_entry(txn, set->name);
	size_t most = set->n_own_taints + set->n_set_taints + (p ? p->taint_count : 0);
	struct taints all = {.list = arena_alloc(txn->arena, most * sizeof(*all.list))};
	struct err ignored;

	for (size_t i = 0; i < set->n_own_taints; i++)
		put_taint(txn, &all, set->own_taints[i]);
	for (size_t i = 0; p && i < p->taint_count; i++) {
		Armada__Taint taint = ARMADA__TAINT__INIT;
		struct taint_words words;

		if (taint_parse(p->taints[i], &words, &ignored) < 0)
			continue; /* checked when the file was read */
		taint.key = words.key;
		taint.value = words.value;
		taint.effect = words.effect;
		put_taint(txn, &all, &taint);
	}
	for (size_t i = 0; i < set->n_set_taints; i++)
		put_taint(txn, &all, set->set_taints[i]);
	set->taints = all.list;
	set->n_taints = all.count;
}

static bool has_resource(const Armada__NodeSet *set, const char *name)
{
	for (size_t i = 0; i < set->n_resources; i++)
		if (strcmp(set->resources[i]->name, name) == 0)
			return true;
	return false;
}

/* What the node reports, and what only armada.conf declares. */
static void merge_resources(struct txn *txn, Armada__NodeSet *set)
{
	const struct conf_node *p = conf_entry(txn, set->name);

	set->resources =
		arena_alloc(txn->arena, (set->n_own_resources + (p ? p->resource_count : 0) + 1) *
						sizeof(*set->resources));
	set->n_resources = 0;
	for (size_t i = 0; i < set->n_own_resources; i++)
		set->resources[set->n_resources++] = set->own_resources[i];
	for (size_t i = 0; p && i < p->resource_count; i++) {
		Armada__Resource *r;
		struct offer o;

		if (offer_parse(p->resources[i], &o, NULL) < 0 || has_resource(set, o.name))
			continue;
		r = arena_alloc(txn->arena, sizeof(*r));
		armada__resource__init(r);
		r->name = arena_strdup(txn->arena, o.name);
		r->amount = o.amount;
		r->size = o.size;
		set->resources[set->n_resources++] = r;
	}
}

/*
 * A copy of the current set. Older records have no layers: all of their values are the node's own.
 */
static Armada__NodeSet *copy_set(struct txn *txn, const struct node *n)
{
	Armada__NodeSet *set = msg_unpack_own(&armada__node_set__descriptor, n->set_packed.data,
					      n->set_packed.len, txn->arena);

	if (!set->layered) {
		set->own_labels = set->labels;
		set->n_own_labels = set->n_labels;
		set->own_taints = set->taints;
		set->n_own_taints = set->n_taints;
		set->layered = true;
	}
	if (!set->resources_layered) {
		set->own_resources = set->resources;
		set->n_own_resources = set->n_resources;
		set->resources_layered = true;
	}
	return set;
}

#define DECLARED(name)                set->name = m->name;
#define DETECTED(name)                DECLARED(name)
#define TAKE(member, registered, ...) registered

static void take_registration(Armada__NodeSet *set, const Armada__RegisterNode *m)
{
	set->name = m->name;
	set->node_id = m->node_id;
	set->spool_id = m->spool_id;
	set->boot_id = m->boot_id;
	set->own_resources = m->resources;
	set->n_own_resources = m->n_resources;
	set->resources_layered = true;
	set->own_labels = m->labels;
	set->n_own_labels = m->n_labels;
	set->own_taints = m->taints;
	set->n_own_taints = m->n_taints;
	NODE_TABLE(TAKE)
	set->can_reboot = m->can_reboot;
	set->can_suspend = m->can_suspend;
	set->layered = true;
}

static void emit_set(struct txn *txn, const struct node *old, Armada__NodeSet *set)
{
	struct buf packed CLEANUP_BUF = {0};
	Armada__NodeSet *m;
	Armada__Event *ev = emit_make(txn, ARMADA__EVENT__KIND_NODE_SET, &m);

	merge_labels(txn, set);
	merge_taints(txn, set);
	merge_resources(txn, set);
	*m = *set;
	msg_pack(m, &packed);
	if (!old || old->set_packed.len != packed.len ||
	    memcmp(old->set_packed.data, packed.data, packed.len) != 0)
		emit_event(txn, ev);
}

void node_emit_set(struct txn *txn, const struct node *n, const Armada__RegisterNode *m)
{
	Armada__NodeSet *set;

	if (n) {
		set = copy_set(txn, n);
	} else {
		set = arena_alloc(txn->arena, sizeof(*set));
		armada__node_set__init(set);
	}
	if (m)
		take_registration(set, m);
	emit_set(txn, n, set);
}

void node_take_cpus(struct txn *txn, const struct node *n, const char *text)
{
	Armada__NodeSet *set;

	if (!*text || strlen(text) > KEY_LONGEST || strcmp(n->set->cpu_containment, text) == 0)
		return;
	set = copy_set(txn, n);
	set->cpu_containment = arena_strdup(txn->arena, text);
	emit_set(txn, n, set);
}

static int check_word(const char *what, const char *word, bool may_be_empty, struct err *err)
{
	size_t len = strlen(word);

	if ((!len && !may_be_empty) || len > KEY_LONGEST || strpbrk(word, " ,=:\t"))
		return err_set(err, -EINVAL,
			       "%s '%s': up to %d characters without spaces, commas, colons and "
			       "equals signs",
			       what, word, KEY_LONGEST);
	return 0;
}

static int check_change(const Armada__UpdateNodeRequest *m, struct err *err)
{
	int rc = 0;

	if (!m->n_labels && !m->n_taints && !m->n_remove)
		return err_set(err, -EINVAL, "nothing to set (KEY=VALUE) or to remove (KEY-)");
	for (size_t i = 0; rc == 0 && i < m->n_labels; i++) {
		rc = check_word("the key", m->labels[i]->key, false, err);
		if (rc == 0)
			rc = check_word("the value", m->labels[i]->value, true, err);
	}
	for (size_t i = 0; rc == 0 && i < m->n_taints; i++) {
		rc = check_word("the key", m->taints[i]->key, false, err);
		if (rc == 0)
			rc = check_word("the value", m->taints[i]->value, true, err);
		if (rc == 0 && strcmp(m->taints[i]->effect, "NoSchedule") != 0 &&
		    strcmp(m->taints[i]->effect, "PreferNoSchedule") != 0)
			rc = err_set(err, -EINVAL,
				     "the effect '%s' is not known: expected NoSchedule or "
				     "PreferNoSchedule",
				     m->taints[i]->effect);
	}
	return rc;
}

static int remove_label(Armada__NodeSet *set, const char *key, struct err *err)
{
	for (size_t i = 0; i < set->n_set_labels; i++)
		if (strcmp(set->set_labels[i]->key, key) == 0) {
			set->set_labels[i] = set->set_labels[--set->n_set_labels];
			return 0;
		}
	for (size_t i = 0; i < set->n_labels; i++)
		if (strcmp(set->labels[i]->key, key) == 0)
			return err_set(
				err, -EINVAL,
				"label '%s' comes from %s itself or from armada.conf: remove it "
				"there, or set another value here",
				key, set->name);
	return err_set(err, -ENOENT, "%s has no label '%s'", set->name, key);
}

static int remove_taint(Armada__NodeSet *set, const char *key, struct err *err)
{
	for (size_t i = 0; i < set->n_set_taints; i++)
		if (strcmp(set->set_taints[i]->key, key) == 0) {
			set->set_taints[i] = set->set_taints[--set->n_set_taints];
			return 0;
		}
	return err_set(err, -ENOENT, "%s has no taint '%s' that an administrator set", set->name,
		       key);
}

/* Applies the change to the layer of administrators. */
static void set_by_hand(struct txn *txn, Armada__NodeSet *set, const Armada__UpdateNodeRequest *m)
{
	struct labels labels = {0};
	struct taints taints = {0};

	labels.list =
		arena_alloc(txn->arena, (set->n_set_labels + m->n_labels) * sizeof(*labels.list));
	taints.list =
		arena_alloc(txn->arena, (set->n_set_taints + m->n_taints) * sizeof(*taints.list));
	for (size_t i = 0; i < set->n_set_labels; i++)
		labels.list[labels.count++] = set->set_labels[i];
	for (size_t i = 0; i < m->n_labels; i++)
		put_label(txn, &labels, m->labels[i]->key, strlen(m->labels[i]->key),
			  m->labels[i]->value);
	for (size_t i = 0; i < set->n_set_taints; i++)
		taints.list[taints.count++] = set->set_taints[i];
	for (size_t i = 0; i < m->n_taints; i++)
		put_taint(txn, &taints, m->taints[i]);
	set->set_labels = labels.list;
	set->n_set_labels = labels.count;
	set->set_taints = taints.list;
	set->n_set_taints = taints.count;
}

static int change(struct txn *txn, Armada__NodeSet *set, const Armada__UpdateNodeRequest *m,
		  struct err *err)
{
	bool taints = m->action == ARMADA__UPDATE_NODE_REQUEST__ACTION__NODE_TAINT;
	int rc = check_change(m, err);

	for (size_t i = 0; rc == 0 && i < m->n_remove; i++)
		rc = taints ? remove_taint(set, m->remove[i], err)
			    : remove_label(set, m->remove[i], err);
	if (rc < 0)
		return rc;
	if (set->n_set_labels + m->n_labels + set->n_set_taints + m->n_taints > LABELS_MAX)
		return err_set(err, -EINVAL, "more than %d labels and taints", LABELS_MAX);
	set_by_hand(txn, set, m);
	return 0;
}

int node_may_relabel(struct txn *txn, const struct node *n, const Armada__UpdateNodeRequest *m,
		     struct err *err)
{
	return change(txn, copy_set(txn, n), m, err);
}

void node_relabel(struct txn *txn, const struct node *n, const Armada__UpdateNodeRequest *m)
{
	Armada__NodeSet *set = copy_set(txn, n);
	struct err err;

	if (change(txn, set, m, &err) == 0)
		emit_set(txn, n, set);
}
