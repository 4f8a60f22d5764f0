/*
 * Expands lists of device files (device_files.h). Input: paths with commas between them, whose last part
 * has the grammar of util/hostlist.h. Output: the paths in order, or an error that names the path.
 */
#include "conf/device_files.h"

#include "util/hostlist.h"
#include "util/mem.h"

#include <errno.h>
#include <string.h>

/* The end of the path: a comma outside of brackets. */
static size_t path_length(const char *text)
{
	size_t n = 0;
	bool inside = false;

	for (; text[n] && (inside || text[n] != ','); n++)
		inside = text[n] == '[' || (inside && text[n] != ']');
	return n;
}

static int add_path(const char *path, char **list, size_t *count, struct err *err)
{
	const char *last = strrchr(path, '/');
	char **names = NULL;
	size_t n = 0;
	int rc;

	if (path[0] != '/')
		return err_set(err, -EINVAL, "'%.64s' is not the path of a device", path);
	rc = hostlist_expand(last + 1, DEVICE_FILES_MAX - *count, &names, &n, err);
	if (rc < 0)
		return err_set(err, -EINVAL,
			       "'%.64s': expected at most %d paths such as /dev/fpga[0-3]", path,
			       DEVICE_FILES_MAX);
	for (size_t i = 0; i < n; i++)
		list[(*count)++] = xasprintf("%.*s%s", (int)(last + 1 - path), path, names[i]);
	hostlist_free(names, n);
	return 0;
}

int device_files_expand(const char *text, char ***ret_paths, size_t *ret_count, struct err *err)
{
	char **list = xcalloc(DEVICE_FILES_MAX + 1, sizeof(*list));
	size_t count = 0;
	int rc = 0;

	for (const char *p = text; rc == 0;) {
		size_t len = path_length(p);
		CLEANUP_FREE char *path = xasprintf("%.*s", (int)len, p);

		rc = add_path(path, list, &count, err);
		if (!p[len])
			break;
		p += len + 1;
	}
	if (rc < 0) {
		hostlist_free(list, count);
		return rc;
	}
	*ret_paths = list;
	*ret_count = count;
	return 0;
}
