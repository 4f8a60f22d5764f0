/*
 * Routes of nodes: listing them, and what the verbs of anode and actl lease extend do. {nodes} of a path is a
 * list such as cn[01-04].
 */
#include "armrestd/routes.h"
#include "client/known.h"
#include "cmd/listing/node_rows.h"
#include "cmd/listing/node_words.h"
#include "util/hostlist.h"
#include "util/mem.h"
#include "util/units.h"

#include <errno.h>
#include <string.h>

enum { NODES_MAX = 65536, WORDS_MAX = 1000 };

#define ACTION(name) ARMADA__UPDATE_NODE_REQUEST__ACTION__NODE_##name

static int list(struct exchange *x, const char *name, struct err *err)
{
	Armada__ListNodesRequest q = ARMADA__LIST_NODES_REQUEST__INIT;
	const Armada__ListNodesReply *r;
	char *names[] = {(char *)(uintptr_t)name};
	int rc;

	q.names = names;
	q.n_names = name != NULL;
	rc = exchange_ask(x, MSG_LIST_NODES, &q, MSG_LIST_NODES_REPLY, &r, err);
	if (rc < 0)
		return rc;
	if (r->n_missing)
		return known_no_node(x->c, name, err);
	x->json = listing_json_new();
	json_object_set_new(x->json, "nodes",
			    listing_json(&node_listing, (const void *const *)r->nodes, r->n_nodes));
	return 0;
}

int list_nodes(struct exchange *x, struct err *err)
{
	return list(x, NULL, err);
}

int show_node(struct exchange *x, struct err *err)
{
	return list(x, x->ids[0], err);
}

/* Expands the list of the path. */
static int expand(const struct exchange *x, char ***ret_names, size_t *ret_count, struct err *err)
{
	return hostlist_expand(x->ids[0], NODES_MAX, ret_names, ret_count, err) < 0 ? -EINVAL : 0;
}

static int send_change(struct exchange *x, Armada__UpdateNodeRequest *q, struct err *err)
{
	int rc = expand(x, &q->names, &q->n_names, err);

	if (rc < 0)
		return rc;
	rc = exchange_ask_ok(x, MSG_UPDATE_NODE, q, "Done", err);
	hostlist_free(q->names, q->n_names);
	return rc;
}

/* The last part of the path of each route, and the flags that its query may have. */
static const struct verb {
	const char *word;
	Armada__UpdateNodeRequest__Action action;
	bool needs_reason, needs_yes;
} verbs[] = {
	{"drain", ACTION(DRAIN), true, false},
	{"resume", ACTION(RESUME), false, false},
	{"refresh", ACTION(REFRESH), false, false},
	{"reboot", ACTION(REBOOT), false, false},
	{"confirm-dead", ACTION(CONFIRM_DEAD), false, true},
};

static const struct verb *verb_of(const struct exchange *x)
{
	const char *word = strrchr(x->route->path, '/') + 1;
	size_t i = 0;

	while (strcmp(verbs[i].word, word) != 0)
		i++;
	return &verbs[i];
}

static int read_flags(const struct exchange *x, Armada__UpdateNodeRequest *q, bool *ret_yes,
		      struct err *err)
{
	bool now = false, stay = false, dry_run = false;
	int rc = exchange_flag(x, "now", &now, err);

	if (rc == 0)
		rc = exchange_flag(x, "no_resume", &stay, err);
	if (rc == 0)
		rc = exchange_flag(x, "dry_run", &dry_run, err);
	if (rc == 0)
		rc = exchange_flag(x, "yes", ret_yes, err);
	q->now = now;
	q->stay_drained = stay;
	q->dry_run = dry_run;
	return rc;
}

int change_nodes(struct exchange *x, struct err *err)
{
	Armada__UpdateNodeRequest q = ARMADA__UPDATE_NODE_REQUEST__INIT;
	const struct verb *v = verb_of(x);
	bool yes = false;
	int rc = read_flags(x, &q, &yes, err);

	if (rc < 0)
		return rc;
	q.action = v->action;
	q.reason = exchange_text(x, "reason");
	if (v->needs_reason && !q.reason[0])
		return err_set(err, -EINVAL, "%s: a reason is needed: ?reason=new%%20disks",
			       v->word);
	/* jobs of a machine that is not switched off would run twice */
	if (v->needs_yes && !q.dry_run && !yes)
		return err_set(err, -EINVAL,
			       "nothing was changed; give yes=1 if these machines are switched "
			       "off, or dry_run=1 to see what would end");
	return send_change(x, &q, err);
}

int delete_nodes(struct exchange *x, struct err *err)
{
	Armada__UpdateNodeRequest q = ARMADA__UPDATE_NODE_REQUEST__INIT;

	q.action = ACTION(DELETE);
	return send_change(x, &q, err);
}

/* The body is {"changes": ["disk=nvme", "old-"]}, with the words of anode label and anode taint. */
static int read_words(struct exchange *x, const json_t *list, bool taints,
		      Armada__UpdateNodeRequest *q, struct err *err)
{
	size_t count = json_array_size(list);
	const char **words = arena_zalloc(x->arena, count + 1, sizeof(*words));

	if (!count || count > WORDS_MAX)
		return err_set(err, -EINVAL,
			       taints ? "changes: must be a list of strings: "
					"[\"maint=disk:NoSchedule\"]"
				      : "changes: must be a list of strings: [\"disk=nvme\"]");
	for (size_t i = 0; i < count; i++) {
		words[i] = json_string_value(json_array_get(list, i));
		if (!words[i])
			return err_set(err, -EINVAL, "changes: must be a list of strings");
	}
	return node_words_read(words, count, taints, x->arena, q, err) < 0 ? -EINVAL : 0;
}

int label_nodes(struct exchange *x, struct err *err)
{
	bool taints = strcmp(strrchr(x->route->path, '/'), "/taint") == 0;
	Armada__UpdateNodeRequest q = ARMADA__UPDATE_NODE_REQUEST__INIT;
	json_t *root = NULL;
	int rc = exchange_body(x, &root, "changes", err);

	q.action = taints ? ACTION(TAINT) : ACTION(LABEL);
	if (rc == 0 && (json_object_size(root) != 1 || !json_object_get(root, "changes")))
		rc = err_set(err, -EINVAL, "the body has one member: changes");
	if (rc == 0)
		rc = read_words(x, json_object_get(root, "changes"), taints, &q, err);
	if (rc == 0)
		rc = send_change(x, &q, err);
	json_decref(root);
	return rc;
}

int extend_leases(struct exchange *x, struct err *err)
{
	Armada__ExtendLeaseRequest q = ARMADA__EXTEND_LEASE_REQUEST__INIT;
	const char *text = exchange_query(x, "time");
	int64_t us = 0;
	int rc = text ? parse_duration(text, &us, err)
		      : err_set(err, -EINVAL, "time is missing: ?time=2h");

	if (rc < 0)
		return err_prefix(err, -EINVAL, "lease extend");
	q.duration_s = us / 1000000;
	q.reason = exchange_text(x, "reason");
	q.all = strcmp(x->ids[0], "all") == 0;
	rc = q.all ? 0 : expand(x, &q.names, &q.n_names, err);
	if (rc == 0)
		rc = exchange_ask_ok(x, MSG_EXTEND_LEASE, &q, "Extended", err);
	hostlist_free(q.names, q.n_names);
	return rc;
}
