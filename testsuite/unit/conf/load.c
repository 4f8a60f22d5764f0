/*
 * Reading configuration files: the default file, files that are refused because of their mode or
 * contents, and the shipped example.
 */
#include "conf/conf.h"
#include "conf/controllers.h"
#include "tap/tap.h"
#include "util/buf.h"
#include "util/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/armada-conf-XXXXXX";

static char *make_file(const char *name, const char *text, size_t len, mode_t mode)
{
	char *path = xasprintf("%s/%s", dir, name);
	CLEANUP_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, text, len) != (ssize_t)len || fchmod(fd, mode) < 0)
		bail("%s: %s", path, strerror(errno));
	return path;
}

static void check_refused(const char *path, int code, const char *says)
{
	struct conf *c = NULL;
	struct err err = {0};

	is_int(conf_load(&c, path, &err), code, "%s is refused", path);
	has_str(err.text, says, "the message has the reason");
	has_str(err.text, path, "the message names the file");
}

static void check_files(void)
{
	CLEANUP_FREE char *good = make_file("good", "cluster = \"env\";\n", 17, 0644);
	CLEANUP_FREE char *group = make_file("group", "", 0, 0664);
	CLEANUP_FREE char *others = make_file("others", "", 0, 0646);
	CLEANUP_FREE char *zero = make_file("zero", "a\0b", 3, 0644);
	CLEANUP_FREE char *missing = xasprintf("%s/missing", dir);
	struct conf *c = NULL;
	struct err err = {0};

	check_refused(group, -EPERM, "chmod go-w");
	check_refused(others, -EPERM, "chmod go-w");
	check_refused(zero, -EINVAL, "zero byte");
	check_refused(missing, -ENOENT, "No such file");
	check_refused(dir, -EINVAL, "not a plain file");
	setenv("ARMADA_CONF", good, 1);
	is_int(conf_load(&c, NULL, &err), 0, "$ARMADA_CONF is read %s", err.text);
	is_str(c->cluster, "env", "the file of the environment is read");
	is_str(c->file, good, "the conf has the name of its file");
	conf_free(c);
	unlink(good);
	unlink(group);
	unlink(others);
	unlink(zero);
}

/* "#key = value;" becomes "key = value;": the example with every setting enabled. */
static char *uncomment(const char *text)
{
	struct buf out = {0};

	while (*text) {
		size_t n = strcspn(text, "\n");

		if (text[0] == '#' && text[1] != ' ' && text[1] != '\n' && text[1] != '#') {
			text++;
			n--;
		}
		buf_add(&out, text, n + (text[n] == '\n'));
		text += n + (text[n] == '\n');
	}
	return (char *)buf_take(&out, NULL);
}

static char *read_all(const char *path)
{
	struct buf out = {0};
	CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		bail("%s: %s", path, strerror(errno));
	while ((n = read(fd, buf_reserve(&out, 4096), 4096)) > 0)
		out.len += (size_t)n;
	buf_addstr(&out, "");
	return (char *)buf_take(&out, NULL);
}

static void check_example(void)
{
	const char *src = getenv("ARMADA_SRCDIR");
	CLEANUP_FREE char *path = xasprintf("%s/etc/armada.conf", src ? src : ".");
	CLEANUP_FREE char *text = read_all(path), *all = uncomment(text);
	struct conf *c = NULL;
	struct err err = {0};
	int rc = conf_parse(&c, "armada.conf", text, &err);

	is_int(rc, 0, "the shipped armada.conf is accepted %s", err.text);
	conf_free(c);
	c = NULL;
	rc = conf_parse(&c, "armada.conf", all, &err);
	is_int(rc, 0, "its commented settings are accepted %s", err.text);
	ok(c && c->node_count && c->queue_count && c->class_count == 5 && c->admin_count,
	   "the example shows every list");
	conf_free(c);
}

static void check_controllers(void)
{
	static const struct {
		const char *list, *name, *host, *says;
		size_t self;
	} rows[] = {
		{"\"a:1\"", NULL, "elsewhere", NULL, 0},
		{"\"one=a:1\", \"two=b:2\"", "two", "elsewhere", NULL, 1},
		{"\"one=a:1\", \"two=b.example.org:2\"", NULL, "b", NULL, 1},
		{"\"one=a:1\", \"two=b:2\"", NULL, "two.example.org", NULL, 1},
		{"\"one=a:1\", \"/run/two.sock\"", "two", "a", NULL, 1},
		{"\"one=a:1\", \"two=b:2\"", "three", "a", "expected one, two", 0},
		{"\"one=a:1\", \"two=b:2\"", NULL, "c", "name it with --name", 0},
		{"\"one=a:1\", \"one=b:2\"", NULL, "c", "the name 'one' is there twice", 0},
		{"\"one=a\"", NULL, "c", "is not an address", 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		CLEANUP_FREE char *text = xasprintf(
			"controllers = [ %s ]; state_dir = \"/var/%%n/x\";", rows[i].list);
		struct err err = {""};
		struct conf *c = NULL;
		int rc = conf_parse(&c, "test", text, &err);

		if (rc == 0)
			rc = conf_take_name(c, rows[i].name, rows[i].host, &err);
		if (rows[i].says) {
			ok(rc < 0, "%s, %s: refused", rows[i].list, rows[i].host);
			has_str(err.text, rows[i].says, "in words");
		} else {
			is_int(rc, 0, "%s, %s: %s", rows[i].list, rows[i].host, err.text);
			is_int(c->self, rows[i].self, "the controller finds itself");
		}
		if (i == 1)
			is_str(c->state_dir, "/var/two/x", "%%n is its name");
		conf_free(c);
	}
}

int main(void)
{
	if (!mkdtemp(dir))
		bail("mkdtemp: %s", strerror(errno));
	check_files();
	check_example();
	check_controllers();
	rmdir(dir);
	return done();
}
