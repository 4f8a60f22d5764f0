#include "armctld/policy_names.h"
#include "armctld/user_database.h"
#include "util/log.h"

#include <errno.h>

int policy_at(const struct key_place *p, int rc, struct err *err)
{
	int line = p->list ? conf_line(p->conf, p->list, p->index, p->what) : 0;

	err_prefix(err, rc, "%s", p->what);
	if (p->list)
		err_prefix(err, rc, "%s: %s", p->list, p->name);
	if (line)
		err_prefix(err, rc, "line %d", line);
	return err_prefix(err, rc, "%s", p->conf->file);
}

/*
 * Refuse a name only if it is known not to exist: a directory service that is unavailable is
 * ignored.
 */
static int find_name(bool group, const char *name, struct err *err)
{
	uint32_t id;
	int rc = user_database_find(group, name, &id, err);

	if (rc != -ENOENT)
		return 0;
	return err_set(err, rc,
		       "there is no %s '%.64s' on this machine: expected a name that "
		       "getent %s shows",
		       group ? "group" : "user", name, group ? "group" : "passwd");
}

int policy_check_name(const struct policy *p, const struct key_place *place, bool group,
		      const char *name, struct err *err)
{
	int rc = find_name(group, name, err);

	if (rc < 0)
		policy_at(place, rc, err);
	if (rc < 0 && p->starting) {
		log_warn("%s", err->text);
		return 0;
	}
	return rc;
}

int policy_check_names(const struct policy *p, const struct key_place *place, bool group,
		       const char *const *names, size_t count, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = policy_check_name(p, place, group, names[i], err);
	return rc;
}
