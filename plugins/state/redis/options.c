/* The options of an engine: names of servers, the password of a file, times. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "options.h"
#include "../sqlite/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PASSWORD_MAX = 512 };

static int check_name(const char *option, const char *name, struct armada_error *err)
{
	const char *colon = strrchr(name, ':');
	char *end = NULL;
	long port = colon ? strtol(colon + 1, &end, 10) : 0;

	if (colon && colon > name && end && end > colon + 1 && !*end && port > 0 && port < 65536 &&
	    strlen(name) < NAME_BYTES && !strpbrk(name, " ,\t"))
		return 0;
	return fail(err, -EINVAL, "%s: '%.80s' is not HOST:PORT (at most %d characters)", option,
		    name, NAME_BYTES - 1);
}

static int read_names(const char *option, const struct armada_option_value *v, size_t most,
		      struct armada_error *err)
{
	int rc = 0;

	if (v->count > most)
		return fail(err, -EINVAL, "%s: %zu names, but at most %zu are used", option,
			    v->count, most);
	for (size_t i = 0; i < v->count && !rc; i++) {
		rc = check_name(option, v->list[i], err);
		for (size_t k = 0; k < i && !rc; k++)
			if (strcmp(v->list[i], v->list[k]) == 0)
				rc = fail(err, -EINVAL, "%s: '%s' is named twice", option,
					  v->list[i]);
	}
	return rc;
}

/* "all", or a time like 30s or 5m. */
static int read_copies(struct engine *e, const char *text, struct armada_error *err)
{
	static const struct {
		char unit;
		int64_t us;
	} units[] = {{'s', 1000000}, {'m', 60000000}, {'h', INT64_C(3600000000)}};
	char *end = NULL;
	long n;

	if (strcmp(text, "all") == 0)
		return 0;
	n = strtol(text, &end, 10);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (end > text && n > 0 && n <= 100000 && end[0] == units[i].unit && !end[1]) {
			e->shrink_us = n * units[i].us;
			return 0;
		}
	return fail(err, -EINVAL, "copies: '%.40s' is neither all nor a time like 30s or 5m", text);
}

static int read_password(struct engine *e, const char *path, struct armada_error *err)
{
	char text[PASSWORD_MAX + 1] = "";
	struct stat st;
	ssize_t n;
	int fd;

	if (!path[0])
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fail_sys(err, -errno, "password_file %s", path);
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || (st.st_mode & 0077) ||
	    (st.st_uid != geteuid() && st.st_uid != 0)) {
		close(fd);
		return fail(
			err, -EPERM,
			"password_file %s: it must be a file of the user that runs armctld or of root, with "
			"mode 0600 or less",
			path);
	}
	n = read(fd, text, PASSWORD_MAX);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\r\n")] = '\0';
	if (!text[0] || n == PASSWORD_MAX)
		return fail(err, -EINVAL, "password_file %s: its first line is no password", path);
	e->password = strdup(text);
	return e->password ? 0 : -ENOMEM;
}

static int read_prefix(struct engine *e, const char *text, struct armada_error *err)
{
	size_t len =
		strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.");

	if (!len || text[len] || len > 64)
		return fail(
			err, -EINVAL,
			"prefix: '%.80s' must have 1 to 64 letters, digits, dots, dashes and underscores",
			text);
	if (asprintf(&e->prefix, "%s:", text) < 0)
		abort();
	return 0;
}

static int check_count(const struct engine *e, struct armada_error *err)
{
	if (!e->server_count)
		return fail(
			err, -EINVAL,
			"servers: state/redis needs the names of the Redis servers, as in servers = "
			"[\"redis1:6379\", \"redis2:6379\", \"redis3:6379\"]");
	if (e->strict && e->server_count < 2)
		return fail(
			err, -EINVAL,
			"servers: one server is no replicated state: name two or more, or accept losses "
			"with durability = \"relaxed\"");
	return 0;
}

int options_read(struct engine *e, const struct armada_option_value *values,
		 struct armada_error *err)
{
	int rc;

	if (values[OPTION_TLS].i)
		return fail(
			err, -ENOTSUP,
			"tls = true: this plugin has no TLS, because hiredis of Debian 12 has none; use a "
			"private network, WireGuard or stunnel between controllers and servers, and tls = "
			"false");
	e->servers = values[OPTION_SERVERS].list;
	e->server_count = values[OPTION_SERVERS].count;
	e->sentinels = values[OPTION_SENTINELS].list;
	e->sentinel_count = values[OPTION_SENTINELS].count;
	e->primary_name = values[OPTION_PRIMARY_NAME].s;
	e->user = values[OPTION_USER].s ? values[OPTION_USER].s : "";
	e->strict = values[OPTION_DURABILITY].i == 0;
	e->lease_us = values[OPTION_LEASE].i;
	e->timeout_ms = (int)(values[OPTION_TIMEOUT].i / 1000);
	rc = read_names("servers", &values[OPTION_SERVERS], ARMADA_REPLICA_COPIES_MAX, err);
	if (!rc)
		rc = read_names("sentinels", &values[OPTION_SENTINELS], 16, err);
	if (!rc)
		rc = check_count(e, err);
	if (!rc)
		rc = read_copies(e, values[OPTION_COPIES].s, err);
	if (!rc)
		rc = read_prefix(e, values[OPTION_PREFIX].s, err);
	return rc ? rc : read_password(e, values[OPTION_PASSWORD_FILE].s, err);
}

void options_free(struct engine *e)
{
	if (e->password)
		memset(e->password, 0, strlen(e->password));
	free(e->password);
	free(e->prefix);
}
