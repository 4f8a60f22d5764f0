/*
 * The plugin host loads a valid plugin, and refuses invalid ones with a message that names the
 * file: other ABI, kind or name, missing symbols, and files that other users may write.
 */
#include "plugin/plugin.h"
#include "tap/tap.h"
#include "util/buf.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/armada-plugin-XXXXXX";

/* Copy the built variant to dir/file. */
static void put(const char *variant, const char *file, mode_t mode)
{
	const char *build = getenv("ARMADA_BUILDDIR");
	char from[512], to[512], chunk[65536];
	ssize_t n;
	int in, out;

	snprintf(from, sizeof(from), "%s/testsuite/unit/plugin/%s.so", build ? build : ".",
		 variant);
	snprintf(to, sizeof(to), "%s/%s", dir, file);
	in = open(from, O_RDONLY | O_CLOEXEC);
	unlink(to);
	out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (in < 0 || out < 0)
		bail("%s", from);
	while ((n = read(in, chunk, sizeof(chunk))) > 0) {
		if (write(out, chunk, (size_t)n) != n)
			bail("%s: write", to);
	}
	fchmod(out, mode);
	close(in);
	close(out);
}

static void refused(const char *variant, const char *words)
{
	struct plugin p = {0};
	struct err err = {""};

	put(variant, "auth_test.so", 0644);
	ok(plugin_load(&p, dir, ARMADA_PLUGIN_AUTH, "test", &err) < 0, "%s: the plugin is refused",
	   variant);
	has_str(err.text, words, "%s: the message has the reason", variant);
	has_str(err.text, "/auth_test.so: ", "%s: the message names the file", variant);
	ok(!p.dl, "%s: no plugin is returned", variant);
}

static void test_good(void)
{
	struct armada_option_value values[2] = {{.i = 3}};
	struct plugin p;
	struct err err = {""};

	put("good", "auth_test.so", 0644);
	is_int(plugin_load(&p, dir, ARMADA_PLUGIN_AUTH, "test", &err), 0,
	       "a good plugin is loaded");
	is_str(err.text, "", "there is no message");
	is_str(p.desc->description, "a plugin of the tests", "the descriptor is returned");
	is_int(p.values[0].i, 7, "the option has its default");
	ok(!p.values[0].set, "the default counts as not set");
	is_int((long long)p.values[1].count, 0, "a list without default is empty");
	plugin_set_values(&p, values);
	is_int(p.values[0].i, 3, "the values can be set");
	plugin_free(&p);
	ok(!p.dl, "the plugin is freed");
}

static void test_bad(void)
{
	refused("abi", "was built for plugin ABI 3, this release has ABI 2");
	refused("magic", "bad magic number");
	refused("kind", "is a plugin of kind select, not auth");
	refused("name", "has the name 'other', but its file name has 'test'");
	refused("size", "operations table of");
	refused("nosymbol", "does not export the symbol armada_plugin");
	refused("undefined", "undefined symbol: not_to_be_found");
	refused("nooptions", "has no table of them");
	refused("default", "default of its option depth");
}

static void test_files(void)
{
	struct plugin p;
	struct err err = {""};
	char path[512], other[512];

	snprintf(path, sizeof(path), "%s/auth_test.so", dir);
	snprintf(other, sizeof(other), "%s/other.so", dir);
	put("good", "auth_test.so", 0664);
	ok(plugin_load(&p, dir, ARMADA_PLUGIN_AUTH, "test", &err) < 0,
	   "a group-writable file is refused");
	has_str(err.text, "may be written by others than its owner (mode 0664): chmod go-w",
		"the message names the mode");
	put("good", "auth_test.so", 0646);
	ok(plugin_load(&p, dir, ARMADA_PLUGIN_AUTH, "test", &err) < 0,
	   "a world-writable file is refused");
	put("good", "auth_test.so", 0644);
	chmod(dir, 0777);
	ok(plugin_load(&p, dir, ARMADA_PLUGIN_AUTH, "test", &err) < 0,
	   "a world-writable directory is refused");
	has_str(err.text, "mode 0777", "the message names the mode");
	chmod(dir, 0755);
	if (geteuid() == 0 && !chown(path, 12345, 0)) {
		ok(plugin_load(&p, dir, ARMADA_PLUGIN_AUTH, "test", &err) < 0,
		   "a file of another owner is refused");
		has_str(err.text, "belongs to uid 12345", "the message names the owner");
	} else {
		skip("only root can give a file away");
	}
	rename(path, other);
	if (symlink(other, path))
		bail("symlink");
	ok(plugin_load(&p, dir, ARMADA_PLUGIN_AUTH, "test", &err) < 0,
	   "a symbolic link is refused");
	has_str(err.text, "must be a plain file", "the message has the reason");
	unlink(path);
	unlink(other);
	mkdir(path, 0755);
	ok(plugin_load(&p, dir, ARMADA_PLUGIN_AUTH, "test", &err) < 0, "a directory is refused");
	has_str(err.text, "is not a plain file", "the message has the reason");
	rmdir(path);
	mkfifo(path, 0644);
	ok(plugin_load(&p, dir, ARMADA_PLUGIN_AUTH, "test", &err) < 0,
	   "a pipe is refused and does not block");
	unlink(path);
}

static void test_names(void)
{
	static const char *const names[] = {"../test", "", "a/b", "a.b", ".", "t\xc3\xa4st", "a b"};
	struct plugin p;
	struct err err = {""};
	char text[16];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		ok(plugin_load(&p, dir, ARMADA_PLUGIN_AUTH, names[i], &err) < 0,
		   "the name \"%s\" is refused", names[i]);
	has_str(err.text, "letters, digits, dash and underscore only",
		"the message has the reason");
	ok(plugin_load(&p, dir, ARMADA_PLUGIN_AUTH, "absent", &err) < 0,
	   "an absent plugin is refused");
	has_str(err.text, "there is no such auth plugin", "the message has the reason");
	ok(plugin_load(&p, "/nowhere", ARMADA_PLUGIN_AUTH, "test", &err) < 0,
	   "an absent directory is refused");
	has_str(err.text, "plugin directory /nowhere: No such file",
		"the message names the directory");
	for (int k = 1; plugin_kind_name((enum armada_plugin_kind)k); k++) {
		snprintf(text, sizeof(text), "%s", plugin_kind_name((enum armada_plugin_kind)k));
		is_int(plugin_kind_of(text), k, "kind %s is parsed and printed", text);
		ok(plugin_ops_size((enum armada_plugin_kind)k) > 0,
		   "the kind has a table of operations");
	}
	is_int(plugin_kind_of("nonsense"), 0, "an unknown kind is refused");
	ok(!plugin_kind_name(0) && !plugin_kind_name(99), "invalid numbers have no kind");
}

int main(void)
{
	char path[512];

	if (!mkdtemp(dir))
		bail("mkdtemp");
	chmod(dir, 0755);
	test_good();
	test_bad();
	test_files();
	test_names();
	snprintf(path, sizeof(path), "%s/auth_test.so", dir);
	unlink(path);
	ok(!rmdir(dir), "no file is left");
	return done();
}
