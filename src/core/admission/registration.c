/*
 * Bounds of a registration (registration.h). Input: the message. Output: the first thing that is wrong.
 *
 * A compromised node must not grow state, log and listings by the size of a message. Amounts are
 * bounded, so that sums over the tasks of a node and over all nodes cannot overflow. Caveat: a node
 * that the state has can come back to its tasks, however many nodes there are.
 */
#include "core/admission/registration.h"

#include "core/state/state.h"

#include <errno.h>
#include <string.h>

enum { TEXT_LONGEST = 255 };
static const int64_t amount_max = INT64_C(1) << 53;

/* The counts so far, and the place for the first error. */
struct tally {
	const char *node;
	size_t bytes;
	struct err *err;
};

/* The name becomes an argument of the site's programs and a word of lists. */
static bool is_node_name(const char *name)
{
	static const char may[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
	size_t len = strlen(name);

	return len && len <= TEXT_LONGEST && name[0] != '-' && name[0] != '.' &&
	       strspn(name, may) == len;
}

static int add_text(struct tally *t, const char *what, const char *text)
{
	size_t len = strlen(text);

	t->bytes += len;
	if (len > TEXT_LONGEST)
		return err_set(
			t->err, -EINVAL,
			"node %s reports %s of %zu bytes, '%.40s...': at most %d are allowed",
			t->node, what, len, text, TEXT_LONGEST);
	if (t->bytes > REGISTRATION_BYTES)
		return err_set(t->err, -EINVAL,
			       "node %s reports labels, taints and resources of more than %d bytes",
			       t->node, REGISTRATION_BYTES);
	return 0;
}

static int add_resources(struct tally *t, const Armada__RegisterNode *m)
{
	int rc = 0;

	if (m->n_resources > REGISTRATION_RESOURCES)
		return err_set(t->err, -EINVAL,
			       "node %s reports %zu resources: at most %d are allowed", t->node,
			       m->n_resources, REGISTRATION_RESOURCES);
	for (size_t i = 0; rc == 0 && i < m->n_resources; i++) {
		const Armada__Resource *r = m->resources[i];

		rc = add_text(t, "the name of a resource", r->name);
		if (rc == 0 && (r->amount < 0 || r->amount > amount_max))
			rc = err_set(t->err, -EINVAL,
				     "node %s reports an impossible amount of the resource %s",
				     t->node, r->name);
		for (size_t k = 0; rc == 0 && k < i; k++)
			if (strcmp(r->name, m->resources[k]->name) == 0)
				rc = err_set(t->err, -EINVAL,
					     "node %s reports the resource %s twice", t->node,
					     r->name);
	}
	return rc;
}

static int add_labels(struct tally *t, const Armada__RegisterNode *m)
{
	int rc = 0;

	if (m->n_labels + m->n_taints > REGISTRATION_LABELS)
		return err_set(t->err, -EINVAL,
			       "node %s reports %zu labels and taints: at most %d are allowed",
			       t->node, m->n_labels + m->n_taints, REGISTRATION_LABELS);
	for (size_t i = 0; rc == 0 && i < m->n_labels; i++) {
		rc = add_text(t, "the key of a label", m->labels[i]->key);
		if (rc == 0)
			rc = add_text(t, "the value of a label", m->labels[i]->value);
	}
	for (size_t i = 0; rc == 0 && i < m->n_taints; i++) {
		rc = add_text(t, "the key of a taint", m->taints[i]->key);
		if (rc == 0)
			rc = add_text(t, "the value of a taint", m->taints[i]->value);
		if (rc == 0)
			rc = add_text(t, "the effect of a taint", m->taints[i]->effect);
	}
	return rc;
}

static int check_identity(const struct txn *txn, const Armada__RegisterNode *m, bool known,
			  struct err *err)
{
	if (!is_node_name(m->name))
		return err_set(
			err, -EINVAL,
			"'%.300s' is not a node name: expected at most %d letters, digits, '.', "
			"'_' and '-', beginning with a letter, a digit or '_'",
			m->name, TEXT_LONGEST);
	if (m->node_id.len != 16 || m->spool_id.len != 16 || !m->boot_id[0] ||
	    strlen(m->boot_id) >= sizeof(((const struct node *)0)->boot_id))
		return err_set(err, -EINVAL, "node %s sent no machine id or no spool id", m->name);
	if (!known && HASH_COUNT(txn->state->nodes) >= REGISTRATION_NODES)
		return err_set(
			err, -EINVAL,
			"node %s is new, and the controller has %d nodes, the most that it keeps: "
			"delete nodes that are gone (anode delete)",
			m->name, REGISTRATION_NODES);
	return 0;
}

int registration_check(const struct txn *txn, const Armada__RegisterNode *m, bool known,
		       struct err *err)
{
	struct tally t = {.node = m->name, .err = err};
	int rc = check_identity(txn, m, known, err);

	if (rc == 0)
		rc = add_text(&t, "a release", m->release);
	if (rc == 0)
		rc = add_text(&t, "a containment", m->containment);
	if (rc == 0)
		rc = add_text(&t, "missing limits", m->not_limited);
	if (rc == 0)
		rc = add_text(&t, "how tasks get cpus", m->cpu_containment);
	if (rc == 0)
		rc = add_text(&t, "an address", m->address);
	if (rc == 0)
		rc = add_resources(&t, m);
	return rc == 0 ? add_labels(&t, m) : rc;
}
