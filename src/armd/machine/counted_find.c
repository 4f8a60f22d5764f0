/*
 * Finds the countable devices of the node (counted.h). Input: the declarations of resources; for those
 * with files, the files. Output: m->counted. Of equal names the last counts. A resource with more than
 * COUNTED_EACH devices, or beyond COUNTED_MAX resources, is counted by the controller but has no numbers.
 */
#include "armd/machine/counted.h"

#include "conf/device_files.h"
#include "conf/quantity.h"
#include "util/mem.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

static struct machine_counted *obtain(struct machine *m, const char *name)
{
	for (size_t i = 0; i < m->counted_count; i++)
		if (strcmp(m->counted[i].name, name) == 0)
			return &m->counted[i];
	if (m->counted_count == COUNTED_MAX)
		return NULL;
	snprintf(m->counted[m->counted_count].name, sizeof(m->counted[0].name), "%s", name);
	return &m->counted[m->counted_count++];
}

static int take_files(struct machine_counted *c, const char *list, struct err *err)
{
	int rc = device_files_expand(list, &c->files, &c->file_count, err);

	if (rc < 0)
		return rc;
	c->devices = xcalloc(c->file_count + 1, sizeof(*c->devices));
	for (size_t i = 0; i < c->file_count; i++) {
		struct stat st;

		if (stat(c->files[i], &st) < 0)
			return err_sys(err, -errno, "%s", c->files[i]);
		if (!S_ISCHR(st.st_mode) && !S_ISBLK(st.st_mode))
			return err_set(err, -EINVAL, "%s is not a device", c->files[i]);
		c->devices[i] = (struct armada_device){.path = c->files[i],
						       .major = major(st.st_rdev),
						       .minor = minor(st.st_rdev),
						       .block = S_ISBLK(st.st_mode)};
	}
	return 0;
}

int machine_find_counted(struct machine *m, const char *const *resources, size_t count,
			 struct err *err)
{
	m->counted = xcalloc(COUNTED_MAX, sizeof(*m->counted));
	for (size_t i = 0; i < count; i++) {
		struct machine_counted *c;
		struct offer o;
		int rc;

		if (offer_parse(resources[i], &o, NULL) < 0 || o.size || !(c = obtain(m, o.name)))
			continue;
		machine_free_counted_files(c);
		c->count = o.amount <= COUNTED_EACH ? (size_t)o.amount : 0;
		rc = o.files ? take_files(c, o.files, err) : 0;
		if (rc < 0)
			return err_prefix(err, rc, "resource %s", o.name);
	}
	/* the numbers of gpus come first */
	while (m->counted_count && machine_counted_bit(m->counted_count - 1, 0) < m->gpu_count)
		machine_free_counted_files(&m->counted[--m->counted_count]);
	return 0;
}
