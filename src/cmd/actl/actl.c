/*
 * actl: administer the controller, jobs, leases and queues.
 *
 * The first one or two words are a verb of the table below. Most verbs share one table of options;
 * an option that the verb does not use is refused. The verbs of own_parsers have options of their
 * own and parse the rest of the command line themselves.
 */
#include "cmd/actl/actl.h"

#include "client/resources.h"
#include "cmd/actl/accounts.h"
#include "cmd/actl/changes.h"
#include "cmd/actl/classes.h"
#include "cmd/actl/cluster.h"
#include "cmd/actl/copies.h"
#include "cmd/actl/job.h"
#include "cmd/actl/lease.h"
#include "cmd/actl/counters.h"
#include "cmd/actl/limits.h"
#include "cmd/actl/log.h"
#include "cmd/actl/notify.h"
#include "cmd/actl/output.h"
#include "cmd/actl/permissions.h"
#include "cmd/actl/ping.h"
#include "cmd/actl/preempt.h"
#include "cmd/actl/queue.h"
#include "cmd/actl/reconfigure.h"
#include "cmd/actl/show.h"
#include "cmd/actl/step.h"
#include "cmd/actl/token.h"
#include "cmd/actl/update.h"
#include "cmd/listing/step_rows.h"
#include "util/clock.h"
#include "util/mem.h"
#include "util/nearest.h"
#include "util/units.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static const struct opt show_rows[] = {
	{"script", NULL, 0, NULL, OPT_FLAG(struct actl, with_script),
	 "Print the script of the job as well"},
	{"env", NULL, 0, NULL, OPT_FLAG(struct actl, with_env),
	 "Print the environment of the job as well"},
};

static const struct opt reconfigure_rows[] = {
	{"dry-run", NULL, 'n', NULL, OPT_FLAG(struct actl, dry_run),
	 "List what would change, and change nothing"},
};

static const struct opt conf_rows[] = {
	{"conf", NULL, 0, NULL, OPT_FLAG(struct actl, with_conf),
	 "Print the queues in the form of armada.conf, which queue create --file reads"},
};

static const struct opt_table show_options = {"show job", show_rows, ARRAY_SIZE(show_rows)};
static const struct opt_table reconfigure_options = {"reconfigure", reconfigure_rows,
						     ARRAY_SIZE(reconfigure_rows)};
static const struct opt_table conf_options = {"queue show", conf_rows, ARRAY_SIZE(conf_rows)};
static const struct opt_table *const tables[] = {&reconfigure_options, &show_options,
						 &output_options,      &queue_options,
						 &conf_options,        &listing_options,
						 &command_options,     NULL};

static int shut_down(struct actl *a, struct err *err)
{
	Armada__ShutdownRequest q = ARMADA__SHUTDOWN_REQUEST__INIT;

	return actl_ask_ok(a, MSG_SHUTDOWN, &q, "The controller stops; jobs continue", err);
}

/* clang-format off */
static const struct verb {
	const char *words[2]; /* the second may be NULL */
	size_t min, max;      /* number of arguments */
	int (*run)(struct actl *a, struct err *err);
	const struct opt_table *options[2];
	const char *usage;
	bool alternate; /* the other verb of a function that two verbs share */
} verbs[] = {
	{{"ping", NULL}, 0, 0, actl_ping, {&listing_options}, "ping [--json]", false},
	{{"takeover", NULL}, 0, 1, actl_takeover, {NULL}, "takeover [NAME]", false},
	{{"copies", "list"}, 0, 0, actl_copies_list, {&listing_options}, "copies list", false},
	{{"copies", "add"}, 1, 1, actl_copies_change, {NULL}, "copies add COPY", false},
	{{"copies", "remove"}, 1, 1, actl_copies_change, {NULL}, "copies remove COPY", true},
	{{"reconfigure", NULL}, 0, 0, actl_reconfigure, {&reconfigure_options, &listing_options}, "reconfigure [--dry-run]", false},
	{{"shutdown", NULL}, 0, 0, shut_down, {NULL}, "shutdown", false},
	{{"hold", NULL}, 1, SIZE_MAX, actl_hold, {NULL}, "hold JOBS...", false},
	{{"release", NULL}, 1, SIZE_MAX, actl_hold, {NULL}, "release JOBS...", true},
	{{"suspend", NULL}, 1, SIZE_MAX, actl_suspend, {NULL}, "suspend JOBS...", false},
	{{"resume", NULL}, 1, SIZE_MAX, actl_suspend, {NULL}, "resume JOBS...", true},
	{{"requeue", NULL}, 1, SIZE_MAX, actl_requeue, {NULL}, "requeue JOBS...", false},
	{{"requeuehold", NULL}, 1, SIZE_MAX, actl_requeue, {NULL}, "requeuehold JOBS...", true},
	{{"update", NULL}, 1, SIZE_MAX, NULL, {NULL}, "update JOBS... option... [-- COMMAND...]", false},
	{{"permissions", NULL}, 0, SIZE_MAX, NULL, {NULL}, "permissions [--user U] [QUEUE...]", false},
	{{"preempt", NULL}, 1, SIZE_MAX, NULL, {NULL}, "preempt [JOBS...] [option...]", false},
	{{"token", "create"}, 0, 0, NULL, {NULL}, "token create [option...]", false},
	{{"token", "list"}, 0, 0, NULL, {NULL}, "token list [--all]", false},
	{{"token", "revoke"}, 1, SIZE_MAX, NULL, {NULL}, "token revoke NUMBER...", false},
	{{"show", "job"}, 1, SIZE_MAX, actl_show_job, {&show_options}, "show job ID... [--script] [--env]", false},
	{{"show", "output"}, 1, 1, actl_show_output, {&output_options}, "show output ID [--error] [--task N] [--tail SIZE | --offset SIZE --length SIZE]", false},
	{{"show", "step"}, 1, SIZE_MAX, actl_show_step, {&listing_options}, "show step JOB.N...", false},
	{{"show", "node"}, 0, SIZE_MAX, actl_show_node, {NULL}, "show node [NODES...]", false},
	{{"show", "queue"}, 0, SIZE_MAX, actl_show_queue, {&conf_options, &listing_options}, "show queue [NAME...] [--conf]", false},
	{{"show", "account"}, 1, SIZE_MAX, actl_show_accounts, {&listing_options}, "show account NAME...", false},
	{{"show", "accounts"}, 0, 0, actl_show_accounts, {&listing_options}, "show accounts", false},
	{{"show", "classes"}, 0, 0, actl_show_classes, {&listing_options}, "show classes", false},
	{{"show", "cluster"}, 0, 0, actl_show_cluster, {&listing_options}, "show cluster", false},
	{{"show", "counters"}, 0, 0, actl_show_counters, {&listing_options}, "show counters", false},
	{{"show", "limits"}, 0, 0, actl_show_limits, {&listing_options}, "show limits", false},
	{{"show", "notify"}, 0, 0, actl_show_notify, {&listing_options}, "show notify", false},
	{{"license", NULL}, 1, SIZE_MAX, actl_license, {NULL}, "license NAME=TOTAL|default...", false},
	{{"log", NULL}, 0, SIZE_MAX, actl_log, {&listing_options}, "log [AREA=LEVEL...]", false},
	{{"lease", "extend"}, 2, SIZE_MAX, actl_lease_extend, {NULL}, "lease extend NODES|all TIME [REASON...]", false},
	{{"queue", "list"}, 0, SIZE_MAX, actl_queue_list, {&listing_options}, "queue list [NAME...]", false},
	{{"queue", "show"}, 1, SIZE_MAX, actl_queue_show, {&conf_options, &listing_options}, "queue show NAME... [--conf]", false},
	{{"queue", "create"}, 0, SIZE_MAX, actl_queue_create, {&queue_options}, "queue create NAME... [option...] | --file FILE", false},
	{{"queue", "update"}, 0, SIZE_MAX, actl_queue_update, {&queue_options}, "queue update NAME... option... | --file FILE", false},
	{{"queue", "delete"}, 1, SIZE_MAX, actl_queue_delete, {NULL}, "queue delete NAME...", false},
	{{"queue", "cordon"}, 1, SIZE_MAX, actl_queue_cordon, {NULL}, "queue cordon NAME...", false},
	{{"queue", "uncordon"}, 1, SIZE_MAX, actl_queue_cordon, {NULL}, "queue uncordon NAME...", true},
};
/* clang-format on */

/* Other words for the second one of "show". */
static const char *const shown[][2] = {
	{"jobs", "job"},         {"nodes", "node"},    {"queues", "queue"}, {"partition", "queue"},
	{"partitions", "queue"}, {"class", "classes"}, {"steps", "step"},
};

static const char *second_word(const char *first, const char *second)
{
	for (size_t i = 0; strcmp(first, "show") == 0 && i < ARRAY_SIZE(shown); i++)
		if (strcmp(second, shown[i][0]) == 0)
			return shown[i][1];
	return second;
}

static const char *usages[ARRAY_SIZE(verbs) + 1];

static const struct verb *find_verb(const char *const *words, size_t count)
{
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++) {
		const struct verb *v = &verbs[i];

		if (count && !strcmp(words[0], v->words[0]) &&
		    (!v->words[1] ||
		     (count > 1 && !strcmp(second_word(words[0], words[1]), v->words[1]))))
			return v;
	}
	return NULL;
}

/* Verbs of anode, and others that are meant for nodes. */
static const char *const of_nodes[][2] = {
	{"drain", "drain NODES REASON"},     {"undrain", "resume NODES"},
	{"reboot", "reboot NODES [REASON]"}, {"confirm-dead", "confirm-dead NODES"},
	{"label", "label NODES KEY=VALUE"},  {"taint", "taint NODES KEY=VALUE:EFFECT"},
};

static int unknown_verb(const char *const *words, size_t count, struct err *err)
{
	const char *names[ARRAY_SIZE(verbs)];
	CLEANUP_BUF struct buf given = {0}, seconds = {0};
	const char *near;

	if (!count)
		return err_set(err, -EINVAL, "no command given: ping, show job ID, queue list ...");
	for (size_t i = 0; i < count && i < 2; i++)
		buf_addf(&given, "%s%.40s", i ? " " : "", words[i]);
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		names[i] = verbs[i].words[0];
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++) {
		if (!strcmp(words[0], verbs[i].words[0]))
			buf_addf(&seconds, "%s%s", seconds.len ? ", " : "", verbs[i].words[1]);
	}
	if (seconds.len)
		return err_set(err, -EINVAL, "%s: expected one of %s%s%.40s%s", words[0],
			       (char *)seconds.data, count > 1 ? ", not '" : "",
			       count > 1 ? words[1] : "", count > 1 ? "'" : "");
	for (size_t i = 0; i < ARRAY_SIZE(of_nodes); i++)
		if (!strcmp(words[0], of_nodes[i][0]))
			return err_set(err, -EINVAL, "nodes are changed by anode %s",
				       of_nodes[i][1]);
	near = nearest_word(words[0], names, ARRAY_SIZE(verbs));
	return err_set(err, -EINVAL, "unknown command '%s'%s%s%s", (char *)given.data,
		       near ? "; did you mean actl " : "; --help lists them", near ? near : "",
		       near ? " ...?" : "");
}

/* Refuses options that the verb does not use, and a wrong number of arguments. */
static int check_options(const struct verb *v, const struct actl *a, struct err *err)
{
	const struct {
		bool given;
		const struct opt_table *table;
		const char *names;
	} uses[] = {
		{a->dry_run, &reconfigure_options, "--dry-run is"},
		{a->with_script || a->with_env, &show_options, "--script and --env are"},
		{output_options_given(a), &output_options,
		 "--error, --task, --tail, --offset and --length are"},
		{queue_options_given(a) || a->file, &queue_options, "settings of queues are"},
		{a->with_conf, &conf_options, "--conf is"},
		{a->listing.json || a->listing.noheader || a->listing.format, &listing_options,
		 "--json, --noheader and --format are"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(uses); i++) {
		if (uses[i].given && v->options[0] != uses[i].table &&
		    v->options[1] != uses[i].table)
			return err_set(err, -EINVAL, "%s not for: actl %s", uses[i].names,
				       v->usage);
	}
	if (a->count < v->min || a->count > v->max)
		return err_set(err, -EINVAL, "usage: actl %s", v->usage);
	return 0;
}

/* Verbs with options of their own, which follow the verb. */
static const struct {
	const char *word;
	int (*run)(int argc, char **argv, struct err *err);
	const struct opt_table *options;
} own_parsers[] = {
	{"update", actl_update, &changes_options},
	{"preempt", actl_preempt, &actl_preempt_options},
	{"permissions", actl_permissions, &actl_permissions_options},
	{"token", actl_token, &actl_token_options},
};

static int run(int argc, char **argv, struct err *err)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	struct actl a = {.arena = arena, .queue = ARMADA__QUEUE_SPEC__INIT};
	CLEANUP_FREE const char **operands = NULL;
	const struct verb *v;
	size_t count = 0, words;
	int rc;

	for (size_t i = 0; argc > 1 && i < ARRAY_SIZE(own_parsers); i++)
		if (strcmp(argv[1], own_parsers[i].word) == 0)
			return own_parsers[i].run(argc - 1, argv + 1, err);
	client_learns_resources();
	rc = opt_parse(tables, argc, argv, &a, &operands, &count, err);

	if (rc < 0)
		return rc;
	v = find_verb(operands, count);
	if (v && !v->run)
		return err_set(err, -EINVAL, "%s must be the first word: actl %s", v->words[0],
			       v->usage);
	if (!v)
		return unknown_verb(operands, count, err);
	words = v->words[1] ? 2 : 1;
	a.args = operands + words;
	a.count = count - words;
	a.alternate = v->alternate;
	rc = check_options(v, &a, err);
	if (rc == 0)
		rc = connection_new(&a.c, NULL, err);
	if (rc == 0)
		rc = v->run(&a, err);
	connection_free(a.c);
	return rc;
}

/* Adds the options of these verbs, which have other meanings than elsewhere. */
static void own_parsers_help(struct buf *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(own_parsers); i++) {
		const struct opt_table *const one[] = {own_parsers[i].options, NULL};

		opt_help(one, out);
		buf_addc(out, '\n');
	}
}

static void more_help(struct buf *out)
{
	own_parsers_help(out);
	buf_addstr(out, "queue list: ");
	listing_help(&queue_listing, out);
	buf_addstr(out, "reconfigure --dry-run: ");
	listing_help(&change_listing, out);
	buf_addstr(out, "show accounts: ");
	listing_help(&account_listing, out);
	buf_addstr(out, "show classes: ");
	listing_help(&class_listing, out);
	buf_addstr(out, "show cluster: ");
	listing_help(&cluster_listing, out);
	buf_addstr(out, "show counters: ");
	listing_help(&counter_listing, out);
	buf_addstr(out, "show limits: ");
	listing_help(&limit_listing, out);
	buf_addstr(out, "show notify: ");
	listing_help(&notify_listing, out);
	buf_addstr(out, "show step: ");
	listing_help(&step_listing, out);
	buf_addstr(out, "log: ");
	listing_help(&log_listing, out);
	buf_addstr(out, "permissions: ");
	listing_help(&permission_listing, out);
	buf_addstr(out, "token list: ");
	listing_help(&token_listing, out);
}

static const struct command actl = {
	.name = "actl",
	.summary = "Administer the controller, jobs, leases and queues",
	.usages = usages,
	.tables = tables,
	.more_help = more_help,
	.run = run,
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		usages[i] = verbs[i].usage;
	changes_prepare();
	listing_locale();
	return command_main(&actl, argc, argv);
}
