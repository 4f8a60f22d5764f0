#include "armrestd/selection.h"

#include "client/known.h"
#include "cmd/listing/job_rows.h"
#include "util/clock.h"
#include "util/mem.h"

#include <errno.h>
#include <string.h>
#include <time.h>

static const struct {
	const char *name;
	enum filter_by by;
} selections[] = {
	{"id", FILTER_IDS},        {"state", FILTER_STATES},     {"user", FILTER_USERS},
	{"queue", FILTER_QUEUES},  {"job_set", FILTER_JOB_SETS}, {"name", FILTER_NAMES},
	{"class", FILTER_CLASSES}, {"account", FILTER_ACCOUNTS}, {"label", FILTER_LABELS},
	{"node", FILTER_NODES},
};

int selection_read(const struct exchange *x, struct filter *f, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < ARRAY_SIZE(selections); i++) {
		const char *text = exchange_query(x, selections[i].name);

		rc = text ? filter_add(f, selections[i].by, text, err) : 0;
		if (rc < 0)
			err_prefix(err, rc, "%s", selections[i].name);
	}
	return rc < 0 ? -EINVAL : 0;
}

bool selection_is_any(const struct exchange *x)
{
	return strcmp(x->ids[0], "-") == 0 || !x->ids[0][0];
}

int selection_jobs(struct exchange *x, struct filter *f, struct err *err)
{
	int rc = selection_is_any(x) ? 0 : filter_add(f, FILTER_IDS, x->ids[0], err);

	if (rc == 0)
		rc = selection_read(x, f, err);
	if (rc == 0 && filter_is_empty(f))
		rc = err_set(err, -EINVAL,
			     "nothing selected; give ids, or the parameters user, queue, job_set, "
			     "account, name, label, class, node or state");
	if (rc < 0)
		return -EINVAL;
	return known_check(x->c, f, NULL, NULL, err);
}

int selection_id(const struct exchange *x, uint64_t *ret_job, bool *ret_has, uint32_t *ret_element,
		 struct err *err)
{
	int rc = job_id_parse(x->ids[0], ret_job, ret_has, ret_element, err);

	return rc < 0 ? -EINVAL : 0;
}

json_t *selection_rows(Armada__JobRow *const *rows, size_t count)
{
	int64_t now_us = clock_us(CLOCK_REALTIME);
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++) {
		const struct job_view view = {.row = rows[i], .now_us = now_us};

		json_array_append_new(list, listing_row_json(&job_listing, &view));
	}
	return list;
}
