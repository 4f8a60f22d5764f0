/*
 * armctld --show-config prints a file that gives the same values again and marks defaults; and
 * which changes a reload refuses.
 */
#include "conf/compare.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <string.h>

static const char *const texts[] = {
	"",
	"cluster = \"a\"; controllers = [\"a:1\", \"b:2\"]; admins = [\"x\"];",
	"agents = { heartbeat = \"1.5s\"; lease = \"90000001us\"; node_timeout = \"3s\"; };",
	"defaults = { cpus = \"1234m\"; memory_per_cpu = \"1234567\"; output = \"a\\\\b\\\"c\"; };",
	"limits = { array_elements = 4000000000; };",
	"user_queues = { enabled = false; priority_factor = 0.1; };",
	"user_queues = { priority_factor = 1e6; };",
	"user_queues = { priority_factor = 0.000001; };",
	"priority_classes = ({ name = \"armada-default\"; max_fraction_per_queue = { cpu = 0.3; "
	"gpu = 1; }; });",
	"priority_classes = ({ name = \"armada-default\"; }, { name = \"a\"; users = []; }, "
	"{ name = \"b\"; groups = [\"x\"]; });",
	"queues = ({ name = \"a\"; owners = [\"x\", \"y\"]; cordoned = true; }, { name = \"b\"; });",
	"nodes = ({ name = \"cn[1-3]\"; cpus = 2; memory = \"4G\"; labels = [\"a=b\"]; });",
	"plugins = { fairness = \"decay\"; select = { name = \"spread\"; a = 5000000000; b = 1.5; "
	"c = [1, 2]; d = { e = \"f\"; }; g = (true, {}); }; };",
};

/* The text without comments, which mark default values. */
static void strip(const char *text, struct buf *out)
{
	while (*text) {
		size_t line = strcspn(text, "\n"), keep = 0;

		while (keep < line && text[keep] != '#')
			keep++;
		while (keep && text[keep - 1] == ' ')
			keep--;
		buf_add(out, text, keep);
		buf_addc(out, '\n');
		text += line + (text[line] == '\n');
	}
}

static void check_round_trip(const char *text)
{
	CLEANUP_BUF struct buf first = {0}, second = {0}, a = {0}, b = {0};
	struct conf *c = NULL, *again = NULL;
	struct err err = {0};

	if (conf_parse(&c, "first", text, &err) < 0)
		bail("%s", err.text);
	conf_show(c, false, &first);
	is_int(conf_parse(&again, "first", (char *)first.data, &err), 0,
	       "the printed configuration is accepted: %.50s %s", text, err.text);
	if (again) {
		conf_show(again, false, &second);
		strip((char *)first.data, &a);
		strip((char *)second.data, &b);
		is_str((char *)b.data, (char *)a.data, "it is printed as the same text again");
	}
	conf_free(c);
	conf_free(again);
}

static const struct armada_option rows[] = {
	{.name = "path", .type = ARMADA_OPTION_STRING, .def = "x"},
	{.name = "pace", .type = ARMADA_OPTION_INT, .def = "5", .reload = true},
};

static struct conf *with_plugin(const char *text)
{
	struct conf *c = NULL;
	struct err err;

	if (conf_parse(&c, "test", text, &err) < 0 ||
	    conf_plugin_options(c, ARMADA_PLUGIN_STATE, rows, ARRAY_SIZE(rows), &err) < 0)
		bail("%s", err.text);
	return c;
}

static void check_marks(void)
{
	struct conf *c =
		with_plugin("cluster = \"armada\"; plugins = { state = { name = \"sqlite\"; "
			    "pace = 7; }; };");
	CLEANUP_BUF struct buf out = {0};

	conf_show(c, false, &out);
	has_str((char *)out.data, "\ncluster = \"armada\";\n",
		"a value that the file sets is not marked");
	has_str((char *)out.data, "\nlisten = \"\"; # default\n", "a default value is marked");
	has_str((char *)out.data,
		"\t\tname = \"sqlite\";\n\t\tpath = \"x\"; # default\n"
		"\t\tpace = 7;\n",
		"a default value of a plugin option is marked");
	conf_free(c);
}

static void check_changed(const char *text, const char *want)
{
	struct conf *c = with_plugin(text);
	CLEANUP_BUF struct buf out = {0};

	conf_show(c, true, &out);
	is_str((char *)out.data, want, "only what the file sets is printed");
	conf_free(c);
}

static void check_reload(const char *before, const char *after, const char *want)
{
	struct conf *a = with_plugin(before), *b = with_plugin(after);
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	struct conf_changes changes;
	CLEANUP_BUF struct buf out = {0};

	conf_compare(a, b, arena, &changes);
	conf_refusals(&changes, &out);
	is_str(out.len ? (char *)out.data : "", want, "reload refuses '%s'", want);
	conf_free(a);
	conf_free(b);
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		check_round_trip(texts[i]);
	check_marks();
	check_changed("", "# test\n");
	check_changed(
		"agents = { heartbeat = \"2s\"; }; cluster = \"armada\"; "
		"queues = ({ name = \"q\"; }); "
		"plugins = { state = { name = \"sqlite\"; pace = 7; }; };",
		"# test\ncluster = \"armada\";\nagents = {\n\theartbeat = \"2s\";\n};\n"
		"queues = (\n\t{\n\t\tname = \"q\";\n\t}\n);\n"
		"plugins = {\n\tstate = {\n\t\tname = \"sqlite\";\n\t\tpace = 7;\n\t};\n};\n");
	check_reload("", "", "");
	check_reload("", "log_level = \"debug\"; queues = ({ name = \"q\"; });", "");
	check_reload("", "cluster = \"b\"; state_dir = \"/x\";", "cluster, state_dir");
	check_reload("", "plugins = { fairness = \"decay\"; };", "");
	check_reload("", "plugins = { auth = \"none\"; };", "plugins.auth");
	check_reload("", "plugins = { state = { name = \"sqlite\"; path = \"y\"; pace = 6; }; };",
		     "plugins.state.path");
	return done();
}
