/*
 * anode: list, drain and administer the nodes of the cluster.
 *
 * The first word is a verb of the table below; without one the nodes are listed. The verbs that
 * change nodes are in anode_change.c. Options that a verb does not use are refused.
 */
#include "cmd/anode.h"

#include "client/jobstate.h"
#include "client/known.h"
#include "cmd/anode_change.h"
#include "cmd/common/command.h"
#include "cmd/listing/node_groups.h"
#include "cmd/listing/node_rows.h"
#include "util/hostlist.h"
#include "util/mem.h"
#include "util/nearest.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

enum {
	NODES_MAX = 65536,
	ROWS_MAX =
		50, /* more nodes than these are listed in groups, if nothing else is asked for */
};

/* Words of --state for the use of nodes, also those of sinfo. */
static const struct use {
	const char *name;
	enum { IDLE, ALLOCATED, DRAIN } use;
} uses[] = {{"idle", IDLE},       {"allocated", ALLOCATED}, {"alloc", ALLOCATED},
	    {"mixed", ALLOCATED}, {"mix", ALLOCATED},       {"drain", DRAIN}};

static const struct use *use_named(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(uses); i++)
		if (strcasecmp(word, uses[i].name) == 0)
			return &uses[i];
	return NULL;
}

static int check_states(const char *value, struct err *err)
{
	for (const char *at = value; *at; at += at[0] == ',') {
		size_t n = strcspn(at, ",");
		CLEANUP_FREE char *word = xstrndup(at, n);

		if (!node_state_known(word) && !use_named(word))
			return err_set(err, -EINVAL,
				       "'%.60s' is not a state: up, draining, drained, down, "
				       "unknown, idle or allocated",
				       word);
		at += n;
	}
	return opt_check_word(value, err);
}

static const struct opt rows[] = {
	{"state", "states", 't', "STATES", OPT_CHECKED(struct anode, state, check_states),
	 "Only nodes in these states: up, draining, drained, down, unknown, idle, allocated"},
	{"nodes", "nodelist -w", 'n', "NODES",
	 OPT_REFUSE("nodes are named without an option: anode cn[01-04]"), NULL},
	{"partition", NULL, 'p', "QUEUE",
	 OPT_REFUSE("a queue has no nodes of its own; actl queue show QUEUE has its constraint, if "
		    "it has one"),
	 NULL},
	{"long", NULL, 'l', NULL,
	 OPT_REFUSE("actl show node shows everything about nodes; --format chooses columns"), NULL},
};

static const struct opt kind_rows[] = {
	{"summary", "summarize", 's', NULL, OPT_FLAG(struct anode, summary),
	 "Count the nodes of each size: allocated, idle, other, total"},
	{"reasons", "list-reasons", 'R', NULL, OPT_FLAG(struct anode, reasons),
	 "Why nodes are not up, who set the reason, and when"},
	{"group", NULL, 'g', NULL, OPT_FLAG(struct anode, group),
	 "A row for all equal nodes (the default for more than 50 nodes)"},
	{"per-node", "Node", 'N', NULL, OPT_FLAG(struct anode, per_node), "A row for each node"},
};

static const struct opt change_rows[] = {
	{"yes", NULL, 'y', NULL, OPT_FLAG(struct anode, yes),
	 "confirm-dead: do not ask for confirmation that the nodes are switched off"},
	{"now", NULL, 0, NULL, OPT_FLAG(struct anode, now),
	 "reboot: end and requeue the running jobs of the nodes"},
	{"no-resume", NULL, 0, NULL, OPT_FLAG(struct anode, no_resume),
	 "reboot: leave the nodes drained after the reboot"},
};

static const struct opt_table change_options = {"Changes", change_rows, ARRAY_SIZE(change_rows)};
static const struct opt_table kind_options = {"What to list", kind_rows, ARRAY_SIZE(kind_rows)};
static const struct opt_table own_options = {"Which nodes", rows, ARRAY_SIZE(rows)};
static const struct opt_table *const tables[] = {
	&kind_options, &own_options, &change_options, &listing_options, &command_options, NULL};
static const char *const usages[] = {
	"[option...] [list] [NODES...]",
	"drain NODES REASON...",
	"resume NODES...",
	"reboot NODES [REASON...] [--now] [--no-resume]",
	"confirm-dead NODES [REASON...] [--yes]",
	"label NODES KEY=VALUE... KEY-...",
	"taint NODES KEY[=VALUE][:EFFECT]... KEY-...",
	"refresh NODES...",
	"delete NODES...",
	NULL,
};

int anode_expand(const struct anode *a, const char *const *lists, size_t count, char ***ret_names,
		 size_t *ret_count, struct err *err)
{
	CLEANUP_BUF struct buf joined = {0};
	char **names = NULL, **copy;
	size_t n = 0;
	int rc;

	*ret_names = NULL;
	*ret_count = 0;
	if (!count)
		return 0;
	for (size_t i = 0; i < count; i++)
		buf_addf(&joined, "%s%s", i ? "," : "", lists[i]);
	rc = hostlist_expand((char *)joined.data, NODES_MAX, &names, &n, err);
	if (rc < 0)
		return -EINVAL;
	copy = arena_zalloc(a->arena, n + 1, sizeof(*copy));
	for (size_t i = 0; i < n; i++)
		copy[i] = arena_strdup(a->arena, names[i]);
	hostlist_free(names, n);
	*ret_names = copy;
	*ret_count = n;
	return 0;
}

static bool word_in(const char *list, const char *word)
{
	while (*list) {
		size_t n = strcspn(list, ",");

		if (strlen(word) == n && !strncasecmp(list, word, n))
			return true;
		list += n + (list[n] == ',');
	}
	return false;
}

/* n2 before n10. */
static int by_name(const void *left, const void *right)
{
	const Armada__NodeRow *const *a = left, *const *b = right;

	return strverscmp((*a)->name, (*b)->name);
}

/* What is listed: nodes, or groups of nodes with the same key. */
struct kind {
	const struct listing *listing;
	bool grouped;
	enum node_key key;
};

static const struct kind each_node = {&node_listing, false, 0},
			 equal_nodes = {&node_group_listing, true, NODE_KEY_EQUAL},
			 summary = {&node_summary_listing, true, NODE_KEY_SIZE},
			 reasons = {&node_reason_listing, true, NODE_KEY_REASON};

/* What the options ask for. */
static const struct kind *kind_asked(const struct anode *a)
{
	return a->summary ? &summary : a->reasons ? &reasons : a->group ? &equal_nodes : &each_node;
}

static bool is_used(const Armada__NodeRow *n, int use)
{
	bool starts_tasks = n->state == ARMADA__NODE_STATE__NODE_UP && !n->reason[0];

	if (use == DRAIN)
		return n->state == ARMADA__NODE_STATE__NODE_DRAINING ||
		       n->state == ARMADA__NODE_STATE__NODE_DRAINED;
	return starts_tasks && (n->tasks > 0) == (use == ALLOCATED);
}

static bool selects(const struct anode *a, const Armada__NodeRow *n)
{
	if (a->reasons && n->state == ARMADA__NODE_STATE__NODE_UP && !n->reason[0])
		return false;
	if (!a->state || word_in(a->state, node_row_state(n)))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(uses); i++)
		if (word_in(a->state, uses[i].name) && is_used(n, uses[i].use))
			return true;
	return false;
}

static int print_nodes(const struct anode *a, const void **list, size_t n, struct err *err)
{
	const struct kind *kind = kind_asked(a);

	if (kind == &each_node && n > ROWS_MAX && !a->count && !a->per_node && !a->listing.format &&
	    !a->listing.json)
		kind = &equal_nodes;
	if (kind->grouped)
		list = node_groups_make(kind->key, list, n, a->arena, &n);
	return listing_print(kind->listing, &a->listing, list, n, stdout, err);
}

static const char *verb_meant(const char *word);

/* A node that does not exist; the first word may be meant as a verb. */
static int no_node(const struct anode *a, const char *name, struct err *err)
{
	int rc = known_no_node(a->c, name, err);

	for (size_t i = 0; rc == -ENOENT && i < a->count; i++) {
		const char *verb = strcmp(a->args[i], name) == 0 ? verb_meant(name) : NULL;

		if (verb)
			return err_set(err, -ENOENT,
				       "'%.60s' is neither a node nor a command; did you mean "
				       "anode %s?",
				       name, verb);
	}
	return rc;
}

static int list_nodes(struct anode *a, struct err *err)
{
	Armada__ListNodesRequest q = ARMADA__LIST_NODES_REQUEST__INIT;
	Armada__ListNodesReply *reply;
	const void **list;
	void *message;
	size_t n = 0;
	int rc = anode_expand(a, a->args, a->count, &q.names, &q.n_names, err);

	if (rc == 0)
		rc = connection_ask(a->c, MSG_LIST_NODES, &q, MSG_LIST_NODES_REPLY, a->arena, 0,
				    &message, err);
	if (rc < 0)
		return rc;
	reply = message;
	list = arena_zalloc(a->arena, reply->n_nodes + 1, sizeof(*list));
	for (size_t i = 0; i < reply->n_nodes; i++)
		if (selects(a, reply->nodes[i]))
			list[n++] = reply->nodes[i];
	qsort(list, n, sizeof(*list), by_name);
	rc = n || !reply->n_missing ? print_nodes(a, list, n, err) : 0;
	if (rc == 0 && reply->n_missing)
		return no_node(a, reply->missing[0], err);
	return rc;
}

static const struct verb {
	const char *name;
	int (*run)(struct anode *a, struct err *err);
	bool yes, reboot; /* which options it uses: --yes; --now and --no-resume */
} verbs[] = {
	{"list", list_nodes, false, false},
	{"drain", anode_drain, false, false},
	{"resume", anode_resume, false, false},
	{"reboot", anode_reboot, false, true},
	{"confirm-dead", anode_confirm_dead, true, false},
	{"label", anode_label, false, false},
	{"taint", anode_taint, false, false},
	{"refresh", anode_refresh, false, false},
	{"delete", anode_delete, false, false},
};

/* The verb that somebody means who writes this word; NULL: none. */
static const char *verb_meant(const char *word)
{
	static const char *const others[][2] = {
		{"undrain", "resume NODES"},
		{"up", "resume NODES"},
		{"down", "drain NODES REASON, or anode confirm-dead NODES"},
		{"fail", "drain NODES REASON"},
		{"dead", "confirm-dead NODES"},
		{"remove", "delete NODES"},
		{"show", "NODES, or actl show node NODES"},
	};
	const char *names[ARRAY_SIZE(verbs)];
	const char *near;

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (strcmp(word, others[i][0]) == 0)
			return others[i][1];
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		names[i] = verbs[i].name;
	near = nearest_word(word, names, ARRAY_SIZE(verbs));
	return near;
}

static int check_options(const struct anode *a, const struct verb *verb, struct err *err)
{
	if (a->yes && !verb->yes)
		return err_set(err, -EINVAL, "--yes is an option of confirm-dead only");
	if ((a->now || a->no_resume) && !verb->reboot)
		return err_set(err, -EINVAL, "--now and --no-resume are options of reboot only");
	if (a->summary + a->reasons + a->group + a->per_node > 1)
		return err_set(err, -EINVAL,
			       "--summary, --reasons, --group and --per-node exclude each other");
	if ((a->summary || a->reasons || a->group || a->per_node || a->state || a->listing.json) &&
	    verb->run != list_nodes)
		return err_set(err, -EINVAL, "anode %s prints no listing: %s is not for it",
			       verb->name,
			       a->summary    ? "--summary"
			       : a->reasons  ? "--reasons"
			       : a->group    ? "--group"
			       : a->per_node ? "--per-node"
			       : a->state    ? "--state"
					     : "--json");
	return 0;
}

static int run(int argc, char **argv, struct err *err)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	struct anode a = {.arena = arena};
	CLEANUP_FREE const char **operands = NULL;
	const struct verb *verb = &verbs[0];
	size_t count = 0;
	int rc = opt_parse(tables, argc, argv, &a, &operands, &count, err);

	if (rc == 0 && !a.listing.format && kind_asked(&a) == &each_node)
		a.listing.format = getenv("ANODE_FORMAT");
	if (rc == 0)
		rc = listing_check(kind_asked(&a)->listing, &a.listing, err);
	if (rc < 0)
		return rc;
	a.args = operands;
	for (size_t i = 0; count && i < ARRAY_SIZE(verbs); i++) {
		if (!strcmp(operands[0], verbs[i].name)) {
			verb = &verbs[i];
			a.args++;
			count--;
			break;
		}
	}
	a.count = count;
	rc = check_options(&a, verb, err);
	if (rc == 0)
		rc = connection_new(&a.c, NULL, err);
	if (rc == 0)
		rc = verb->run(&a, err);
	connection_free(a.c);
	return rc;
}

static void columns_help(struct buf *out)
{
	listing_help(&node_listing, out);
	buf_addstr(out, "\n--group: ");
	listing_help(&node_group_listing, out);
	buf_addstr(out, "\n--summary: ");
	listing_help(&node_summary_listing, out);
	buf_addstr(out, "\n--reasons: ");
	listing_help(&node_reason_listing, out);
}

static const struct command anode = {
	.name = "anode",
	.summary = "List, drain and administer the nodes of the cluster",
	.usages = usages,
	.tables = tables,
	.more_help = columns_help,
	.run = run,
};

int main(int argc, char **argv)
{
	listing_locale();
	return command_main(&anode, argc, argv);
}
