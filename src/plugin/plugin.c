/*
 * Loading a plugin: find its file, check owner and mode, load it, check its descriptor, set its options.
 *
 * In: the directory, the kind and the name of a plugin. Out: a struct plugin, or an error that names the
 * file. The descriptor comes from a foreign file, so its magic number, ABI, kind, name and table size are
 * checked before any of its functions is called. An operations table of an older release is copied into a
 * table of the present size, with NULL for the operations that it lacks.
 */
#include "plugin/plugin.h"

#include "conf/conf.h"
#include "util/log.h"
#include "util/mem.h"

#include <armada/auth.h>
#include <armada/contain.h>
#include <armada/fairness.h>
#include <armada/mpi.h>
#include <armada/notify.h>
#include <armada/order.h>
#include <armada/preempt.h>
#include <armada/select.h>
#include <armada/state.h>

#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct kind {
	const char *name;
	size_t ops_size;
	size_t least_size; /* in the first release with this ABI number; 0: as ops_size */
} kinds[] = {
#define KIND(name)                                                                                 \
	{                                                                                          \
#name, sizeof(struct armada_##name##_ops), 0                                       \
	}
#define GREW(name, since)                                                                          \
	{                                                                                          \
#name, sizeof(struct armada_##name##_ops),                                         \
			offsetof(struct armada_##name##_ops, since)                                \
	}
	/* clang-format off */
	[ARMADA_PLUGIN_AUTH]	 = KIND(auth),
	[ARMADA_PLUGIN_STATE]	 = GREW(state, shares_put),
	[ARMADA_PLUGIN_FAIRNESS] = GREW(fairness, lapse),
	[ARMADA_PLUGIN_ORDER]	 = GREW(order, consider),
	[ARMADA_PLUGIN_PREEMPT]	 = KIND(preempt),
	[ARMADA_PLUGIN_SELECT]	 = KIND(select),
	[ARMADA_PLUGIN_CONTAIN]	 = GREW(contain, contains),
	[ARMADA_PLUGIN_NOTIFY]	 = KIND(notify),
	[ARMADA_PLUGIN_MPI]	 = KIND(mpi),
/* clang-format on */
#undef KIND
#undef GREW
};

const char *plugin_kind_name(enum armada_plugin_kind kind)
{
	return (size_t)kind < ARRAY_SIZE(kinds) ? kinds[kind].name : NULL;
}

enum armada_plugin_kind plugin_kind_of(const char *name)
{
	for (size_t i = 1; i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(kinds[i].name, name) == 0)
			return (enum armada_plugin_kind)i;
	}
	return 0;
}

size_t plugin_ops_size(enum armada_plugin_kind kind)
{
	return (size_t)kind < ARRAY_SIZE(kinds) ? kinds[kind].ops_size : 0;
}

static void host_log(int level, const char *text)
{
	log_at((enum log_level)level, "%s", text);
}

const struct armada_host plugin_host = {.abi = ARMADA_PLUGIN_ABI, .log = host_log};

static bool name_is_good(const char *name)
{
	size_t len =
		strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");

	return len > 0 && len <= 64 && !name[len];
}

/* Only root and our own user may own the file, and only its owner may write it. */
static int trust(const struct stat *st, const char *path, struct err *err)
{
	if (st->st_uid != 0 && st->st_uid != geteuid())
		return err_set(err, -EPERM,
			       "%s: belongs to uid %u; it must belong to root or to uid %u", path,
			       (unsigned)st->st_uid, (unsigned)geteuid());
	if (st->st_mode & (S_IWGRP | S_IWOTH))
		return err_set(
			err, -EPERM,
			"%s: may be written by others than its owner (mode %04o): chmod go-w %s",
			path, (unsigned)st->st_mode & 07777, path);
	return 0;
}

/* Open the directory and find its path without symbolic links. */
static int dir_open(const char *dir, char ret_real[PATH_MAX], struct err *err)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char link[64];
	struct stat st;
	ssize_t n;
	int rc;

	if (fd < 0)
		return err_sys(err, -errno, "plugin directory %s", dir);
	rc = fstat(fd, &st) ? err_sys(err, -errno, "plugin directory %s", dir)
			    : trust(&st, dir, err);
	if (rc) {
		close(fd);
		return rc;
	}
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, ret_real, PATH_MAX - 1);
	if (n < 0 || n >= PATH_MAX - 80) {
		close(fd);
		return err_set(err, -ENAMETOOLONG, "plugin directory %s: its path cannot be used",
			       dir);
	}
	ret_real[n] = '\0';
	return fd;
}

/* Is the file at path still the one that was checked? */
static int same_file(const char *path, const struct stat *checked, struct err *err)
{
	struct stat st;

	if (stat(path, &st) || st.st_dev != checked->st_dev || st.st_ino != checked->st_ino)
		return err_set(err, -ESTALE, "%s: was replaced while it was loaded", path);
	return 0;
}

/* The message for a file that cannot be opened. */
static int not_there(int code, const char *path, const char *kind, struct err *err)
{
	if (code != -ENOENT)
		return err_sys(err, code, "%s", path);
	return err_set(
		err, code,
		"%s: there is no such %s plugin; see plugin_dir and plugins.%s in armada.conf",
		path, kind, kind);
}

/*
 * dlopen takes a path, not a descriptor. (/proc/self/fd does not help: dlopen would return the first plugin
 * for a second one that was opened under the same number.) Others cannot write the directory, but a
 * directory above it could be replaced. So the file is compared before and after dlopen.
 */
static int file_load(const char *dir, const char *kind, const char *name, char **ret_path,
		     void **ret_dl, struct err *err)
{
	char real[PATH_MAX], path[PATH_MAX + 80];
	int dir_fd CLEANUP_CLOSE = dir_open(dir, real, err);
	int fd CLEANUP_CLOSE = -1;
	struct stat st;
	void *dl;
	int rc;

	if (dir_fd < 0)
		return dir_fd;
	snprintf(path, sizeof(path), "%s/%s_%s.so", real, kind, name);
	fd = openat(dir_fd, path + strlen(real) + 1,
		    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 && errno == ELOOP)
		return err_set(err, -ELOOP, "%s: is a symbolic link; a plugin must be a plain file",
			       path);
	if (fd < 0)
		return not_there(-errno, path, kind, err);
	if (fstat(fd, &st))
		return err_sys(err, -errno, "%s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, -EINVAL, "%s: is not a plain file", path);
	rc = trust(&st, path, err);
	if (!rc)
		rc = same_file(path, &st, err);
	if (rc)
		return rc;
	dl = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!dl) {
		const char *why = dlerror(), *text = why ? why : "unknown error";
		size_t len = strlen(path);

		if (strncmp(text, path, len) == 0 && strncmp(text + len, ": ", 2) == 0)
			text += len + 2;
		return err_set(err, -ENOEXEC, "%s: cannot be loaded: %s", path, text);
	}
	rc = same_file(path, &st, err);
	if (rc) {
		dlclose(dl);
		return rc;
	}
	*ret_path = xstrdup(path);
	*ret_dl = dl;
	return 0;
}

static size_t least_size(enum armada_plugin_kind kind)
{
	return kinds[kind].least_size ? kinds[kind].least_size : kinds[kind].ops_size;
}

/* Checks that this release can use the descriptor. */
static int desc_check(const struct armada_plugin *d, enum armada_plugin_kind kind, const char *name,
		      struct err *err)
{
	const char *its_kind;

	if (d->magic != ARMADA_PLUGIN_MAGIC)
		return err_set(err, -ENOEXEC,
			       "its symbol " ARMADA_PLUGIN_SYMBOL
			       " is not an Armada plugin's descriptor (bad magic number)");
	if (d->abi != ARMADA_PLUGIN_ABI)
		return err_set(
			err, -ENOEXEC,
			"was built for plugin ABI %u, this release has ABI %u: build it again "
			"with this release's headers",
			d->abi, ARMADA_PLUGIN_ABI);
	if (d->kind != kind) {
		its_kind = plugin_kind_name(d->kind);
		return err_set(err, -ENOEXEC, "is a plugin of kind %s, not %s",
			       its_kind ? its_kind : "unknown", plugin_kind_name(kind));
	}
	if (!d->name || strcmp(d->name, name) != 0)
		return err_set(err, -ENOEXEC, "has the name '%s', but its file name has '%s'",
			       d->name ? d->name : "", name);
	if (!d->ops || d->ops_size > plugin_ops_size(kind) || d->ops_size < least_size(kind))
		return err_set(
			err, -ENOEXEC,
			"has an operations table of %zu bytes, this release expects %zu: build it "
			"again with this release's headers",
			d->ops ? d->ops_size : 0, plugin_ops_size(kind));
	if (d->option_count && !d->options)
		return err_set(err, -ENOEXEC, "declares %zu options but has no table of them",
			       d->option_count);
	return 0;
}

/* A copy of the plugin's table with the host's size; NULL: the plugin's table has that size. */
static void *lengthen(const struct armada_plugin *d)
{
	size_t size = plugin_ops_size(d->kind);
	void *ops;

	if (d->ops_size == size)
		return NULL;
	ops = xcalloc(1, size);
	memcpy(ops, d->ops, d->ops_size);
	return ops;
}

/* One value for each row, from the row's default. */
static int defaults(const struct armada_plugin *d, struct armada_option_value **ret_values,
		    struct err *err)
{
	struct armada_option_value *values = xcalloc(d->option_count + 1, sizeof(*values));

	for (size_t i = 0; i < d->option_count; i++) {
		const struct armada_option *row = &d->options[i];
		int rc = 0;

		values[i].s = "";
		if (!row->name)
			rc = err_set(err, -ENOEXEC, "its option %zu has no name", i + 1);
		else if (row->def)
			rc = option_parse(row, row->def, &values[i], err);
		if (rc) {
			free(values);
			return err_prefix(err, rc, "default of its option %s",
					  row->name ? row->name : "?");
		}
		values[i].set = false;
	}
	*ret_values = values;
	return 0;
}

int plugin_load(struct plugin *ret_plugin, const char *dir, enum armada_plugin_kind kind,
		const char *name, struct err *err)
{
	const char *kind_name = plugin_kind_name(kind);
	struct armada_option_value *values = NULL;
	const struct armada_plugin *desc;
	char *path = NULL;
	void *dl = NULL;
	int rc;

	assert(kind_name);
	if (!name_is_good(name))
		return err_set(err, -EINVAL,
			       "plugins.%s: '%s' is not a plugin's name: letters, digits, dash and "
			       "underscore only",
			       kind_name, name);
	rc = file_load(dir, kind_name, name, &path, &dl, err);
	if (rc)
		return rc;
	desc = dlsym(dl, ARMADA_PLUGIN_SYMBOL);
	rc = desc ? desc_check(desc, kind, name, err)
		  : err_set(err, -ENOEXEC, "does not export the symbol " ARMADA_PLUGIN_SYMBOL);
	if (!rc)
		rc = defaults(desc, &values, err);
	if (rc) {
		err_prefix(err, rc, "%s", path);
		dlclose(dl);
		free(path);
		return rc;
	}
	*ret_plugin = (struct plugin){.desc = desc,
				      .ops = desc->ops,
				      .values = values,
				      .path = path,
				      .dl = dl,
				      .own_ops = lengthen(desc),
				      .own_values = values};
	if (ret_plugin->own_ops)
		ret_plugin->ops = ret_plugin->own_ops;
	return 0;
}

void plugin_set_values(struct plugin *p, const struct armada_option_value *values)
{
	p->values = values;
}

void plugin_free(struct plugin *p)
{
	if (p->dl)
		dlclose(p->dl);
	free(p->own_values);
	free(p->own_ops);
	free(p->path);
	*p = (struct plugin){0};
}

int plugin_load_chosen(struct plugin *ret_plugin, struct conf *conf, enum armada_plugin_kind kind,
		       struct err *err)
{
	const struct conf_plugin *chosen = &conf->plugins[kind];
	int rc = plugin_load(ret_plugin, conf->plugin_dir, kind, chosen->name, err);

	if (rc < 0)
		return rc;
	rc = conf_plugin_options(conf, kind, ret_plugin->desc->options,
				 ret_plugin->desc->option_count, err);
	if (rc == 0)
		plugin_set_values(ret_plugin, chosen->values);
	return rc;
}

int plugin_open_auth(const struct plugin *p, void **ret_handle, struct err *err)
{
	const struct armada_auth_ops *ops = p->ops;
	struct armada_error why = {""};
	int rc = ops->open(ret_handle, p->values, &plugin_host, &why);

	if (rc >= 0)
		return 0;
	*ret_handle = NULL;
	return err_set(err, rc, "auth/%s: %s", p->desc->name, why.text);
}
