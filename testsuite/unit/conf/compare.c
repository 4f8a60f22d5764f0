/*
 * Differences between two configurations: options, entries of lists, plugins. Also queues converted
 * to messages and back to text.
 */
#include "conf/compare.h"
#include "conf/queue_text.h"
#include "conf/tables.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <string.h>

static struct conf *parse(const char *text)
{
	struct conf *c = NULL;
	struct err err;

	if (conf_parse(&c, "test", text, &err) < 0)
		bail("%s", err.text);
	return c;
}

static void put(const struct conf_change *c, struct buf *out)
{
	buf_addf(out, "%s%s|", c->list ? c->list : c->section, c->refused ? "!" : "");
	for (size_t i = 0; i < c->name_count; i++)
		buf_addf(out, "%s%s", i ? "," : "", c->names[i]);
	buf_addf(out, "|%s|%s|%s\n", c->key, c->before, c->after);
}

static void differs(const char *before, const char *after, const char *want, const char *says)
{
	CLEANUP_ARENA struct arena *a = arena_new(0);
	struct conf *x = parse(before), *y = parse(after);
	struct conf_changes changes;
	CLEANUP_BUF struct buf text = {0};

	conf_compare(x, y, a, &changes);
	buf_addstr(&text, "");
	for (size_t i = 0; i < changes.count; i++)
		put(&changes.list[i], &text);
	is_str((char *)text.data, want, "%s", says);
	conf_free(x);
	conf_free(y);
}

static void check_compare(void)
{
	differs("", "", "", "empty files are equal");
	differs("log_level = \"debug\";", "cluster = \"x\";",
		"!|cluster||\"armada\"|\"x\"\n|log_level||\"debug\"|\"info\"\n",
		"options, with those that need a restart");
	differs("agents = { lease = \"720m\"; };", "", "", "another notation is equal");
	differs("queues = ({ name = \"a\"; }, { name = \"b\"; });",
		"queues = ({ name = \"b\"; }, { name = \"a\"; });", "", "another order is equal");
	differs("queues = ({ name = \"a\"; }, { name = \"b\"; });",
		"queues = ({ name = \"b\"; max_gpus = 0; }, { name = \"c\"; cordoned = true; });",
		"queues|a||{ }|\nqueues|b|max_gpus||0\nqueues|c|||{ cordoned = true; }\n",
		"removed, changed and added entries");
	differs("accounts = ({ name = \"a\"; max_cpus = 2; users = [\"x\"]; }, { name = \"b\"; });",
		"accounts = ({ name = \"a\"; max_cpus = 3; }, { name = \"c\"; default_for = [\"x\"]; });",
		"accounts|a|users|[\"x\"]|\naccounts|a|max_cpus|\"2\"|\"3\"\naccounts|b||{ }|\n"
		"accounts|c|||{ default_for = [\"x\"]; }\n",
		"accounts: every row can change");
	differs("nodes = ({ name = \"n[1-3]\"; });",
		"nodes = ({ name = \"n[1-2,4]\"; cpus = 2; }, { name = \"n3\"; gpus = 1; });",
		"nodes|n4|||{ cpus = \"2\"; }\nnodes|n1,n2|cpus|\"0\"|\"2\"\nnodes|n3|gpus|0|1\n",
		"nodes with equal changes are one change");
	differs("", "priority_classes = ({ name = \"armada-default\"; preemptible = true; });",
		"priority_classes|armada-default|fair_share_preemptible|false|true\n"
		"priority_classes|armada-preemptible||{ priority = 900; fair_share_preemptible = true; }|\n"
		"priority_classes|system-cluster-critical||{ priority = 2000000000; users = []; }|\n"
		"priority_classes|system-node-critical||{ priority = 2000001000; users = []; }|\n",
		"the shipped classes are the default");
	differs("priority_classes = ({ name = \"armada-default\"; });",
		"priority_classes = ({ name = \"armada-default\"; users = []; groups = [\"g\"]; });",
		"priority_classes|armada-default|users||[]\n"
		"priority_classes|armada-default|groups||[\"g\"]\n",
		"an empty list of users is not the same as none");
	differs("user_limits = { max_running = 3; };", "", "user_limits|max_running||3|\n",
		"an unset option without default is absent");
	differs("", "plugins = { fairness = \"asset\"; auth = \"none\"; };",
		"plugins!|auth||\"munge\"|\"none\"\nplugins|fairness||\"drf\"|\"asset\"\n",
		"plugins of the scheduler may change");
}

static Armada__QueueSpec *spec_of(const char *text, struct arena *a, struct conf **ret_conf)
{
	Armada__QueueSpec *s = NULL;
	struct err err;

	if (conf_parse_queues(ret_conf, "test", text, &err) < 0 ||
	    queue_spec_of(*ret_conf, &(*ret_conf)->queues[0], a, &s, &err) < 0)
		bail("%s", err.text);
	return s;
}

/* From the file to a message and back; every row of the table once. */
static void check_round_trip(void)
{
	static const char text[] =
		"queues = (\n{\n\tname = \"q\";\n\tpriority_factor = 2.5;\n\towners = [\"ann\"];\n"
		"\tgroup_owners = [\"hpc\", \"ops\"];\n\tpermissions = [\"user:bob=submit,cancel\"];\n"
		"\tcordoned = true;\n\tlimits = { cpu = 0.5; };\n"
		"\tclass_limits = [\"armada-default:cpu=0.25\"];\n\tmax_running = 1;\n"
		"\tmax_waiting = 2;\n\tmax_cpus = \"1.5\";\n\tmax_memory = \"3G\";\n\tmax_gpus = 0;\n"
		"\tsubmit_rate = \"7/m\";\n\tsubmit_burst = 8;\n\tuser_max_running = 9;\n"
		"\tuser_max_waiting = 10;\n\tuser_max_cpus = \"11\";\n\tuser_max_memory = \"12M\";\n"
		"\tuser_max_gpus = 13;\n\tuser_submit_rate = \"2/s\";\n\tuser_submit_burst = 15;\n"
		"\tmax_resources = [\"gpu=4\"];\n\tuser_max_resources = [\"gpu=2\"];\n"
		"\tdefault_class = \"odd\";\n\tdefault_resources = [\"cpu=2\", \"memory=4G\"];\n"
		"\tdefault_time = \"1h\";\n\tmax_time = \"2h\";\n\textend_time = \"3h\";\n"
		"\tlease = \"1d\";\n\tconstraint = \"rack=r1\";\n"
		"\tlabels = [\"a=b\"];\n}\n);\n";
	CLEANUP_ARENA struct arena *a = arena_new(0);
	struct conf *c = NULL;
	Armada__QueueSpec *s = spec_of(text, a, &c);
	CLEANUP_BUF struct buf out = {0};

	buf_addstr(&out, "queues = (\n");
	queue_show(s, "", &out);
	buf_addstr(&out, "\n);\n");
	is_str((char *)out.data, text, "a queue is read back unchanged");
	for (size_t i = 0; i < QUEUE_FIELDS; i++) {
		const struct queue_field *row = &queue_fields[i];

		ok(queue_field_conf(row) != NULL, "armada.conf has %s", row->name);
		ok(queue_field_present(row, s), "the row is set");
	}
	conf_free(c);
}

static size_t rows_of_file(void)
{
	for (size_t i = 0; i < CONF_LISTS; i++)
		if (strcmp(conf_lists[i].name, "queues") == 0)
			return conf_lists[i].count;
	return 0;
}

static void check_rows_known(void)
{
	Armada__QueueSpec s = ARMADA__QUEUE_SPEC__INIT;

	/* every row of the file except the name is in the table, so that none is lost */
	for (size_t i = 0; i < QUEUE_FIELDS; i++)
		ok(!queue_field_present(&queue_fields[i], &s), "an empty update does not set %s",
		   queue_fields[i].name);
	is_int(QUEUE_FIELDS, (int)rows_of_file() - 1, "the table has every row");
}

static void check_words(void)
{
	CLEANUP_ARENA struct arena *a = arena_new(0);
	Armada__QueueSpec s = ARMADA__QUEUE_SPEC__INIT;
	const struct queue_field *permits = queue_field_find("permissions");
	const struct queue_field *quota = queue_field_find("max_running");
	struct err err;

	is_int(queue_field_read(permits, "all=watch", a, &s, &err), 0, "a permission is read");
	is_int(queue_field_read(permits, "user:ann=submit,cancel", a, &s, &err), 0,
	       "a second permission is read");
	is_int((int)s.n_permissions, 2, "both permissions are set");
	is_int(queue_field_read(permits, "none", a, &s, &err), 0, "the word none is read");
	is_int((int)s.n_permissions, 0, "no permission is left");
	ok(s.set_permissions, "the empty list is set");
	ok(queue_field_read(permits, "all=fly", a, &s, &err) < 0, "an unknown verb is refused: %s",
	   err.text);
	is_int(queue_field_read(quota, "5", a, &s, &err), 0, "a limit is read");
	is_int(queue_field_read(queue_field_find("max_cpus"), "500m", a, &s, &err), 0,
	       "a quantity is read");
	is_str(queue_field_text(quota, &s, a), "5", "the limit is shown");
	is_str(queue_field_text(queue_field_find("max_cpus"), &s, a), "\"0.5\"",
	       "the quantity is shown");
	is_int(queue_field_read(quota, "none", a, &s, &err), 0, "none is read as a limit");
	is_str(queue_field_text(quota, &s, a), "", "the limit is removed");
	ok(queue_field_present(quota, &s), "the removed limit is set");
	ok(queue_field_read(quota, "-1", a, &s, &err) < 0, "a negative limit is refused: %s",
	   err.text);
	ok(queue_field_read(queue_field_find("limits"), "cpu=2", a, &s, &err) < 0,
	   "a fraction above 1 is refused: %s", err.text);
	is_int(queue_field_read(queue_field_find("default_time"), "90", a, &s, &err), 0,
	       "a time is read");
	is_int((int)s.default_time_s, 5400, "a bare number is in minutes");
}

static void refused(const char *text, const char *want)
{
	struct conf *c = NULL;
	struct err err = {.text = ""};

	ok(conf_parse_queues(&c, "test", text, &err) < 0, "refused: %.60s", text);
	has_str(err.text, want, "the message has the reason");
	conf_free(c);
}

int main(void)
{
	check_compare();
	check_round_trip();
	check_rows_known();
	check_words();
	refused("", "expected queues = ");
	refused("cluster = \"a\";", "only queues = ");
	refused("queues = ({ name = \"a\"; limits = { cpu = 2; }; });",
		"line 1: limits: cpu: 2 is out");
	return done();
}
