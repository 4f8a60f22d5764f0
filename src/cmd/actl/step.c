/*
 * actl show step (step.h). Input: ids of steps, such as 812.0. Output: a line for each column that has a
 * value, or a listing in JSON.
 */
#include "cmd/actl/step.h"

#include "cmd/listing/step_rows.h"
#include "util/mem.h"

#include <string.h>

static void show(const void *view)
{
	for (size_t i = 0; i < step_listing.count; i++) {
		const struct column *c = &step_listing.columns[i];
		CLEANUP_BUF struct buf value = {0};

		buf_reserve(&value, 1);
		column_text(c, view, &value);
		if (value.len && strcmp((char *)value.data, "-") != 0)
			printf("%-12s %s\n", c->name, (char *)value.data);
	}
}

int actl_show_step(struct actl *a, struct err *err)
{
	struct step_rows rows = {.arena = a->arena};
	int rc = listing_check(&step_listing, &a->listing, err);

	for (size_t i = 0; rc == 0 && i < a->count; i++)
		rc = step_rows_fetch_one(&rows, a->c, a->args[i], err);
	if (rc == 0 && (a->listing.json || a->listing.format))
		return listing_print(&step_listing, &a->listing, rows.list, rows.count, stdout,
				     err);
	for (size_t i = 0; rc == 0 && i < rows.count; i++) {
		if (i)
			putchar('\n');
		show(rows.list[i]);
	}
	return rc;
}
