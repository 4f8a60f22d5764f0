#include "armctld/disk.h"

#include "util/log.h"

#include <stdio.h>

static unsigned long long mib(uint64_t bytes)
{
	return (unsigned long long)(bytes >> 20);
}

static void note_full(struct disk *d, const struct armada_state_space *s, const char *dir)
{
	snprintf(
		d->text, sizeof(d->text),
		"the file system of %s is full: %llu MiB are free, and jobs are accepted again when "
		"%llu MiB are free: remove files there, or cancel jobs",
		dir, mib(s->free_bytes), mib(s->needed_bytes + (1 << 20) - 1));
	if (!d->full)
		log_error("%s; until then submissions and updates of jobs are refused", d->text);
}

void disk_look(struct disk *d, const struct armada_state_ops *state, void *handle, const char *dir)
{
	struct armada_state_space s = {0};
	struct armada_error err;

	if (!state->space || state->space(handle, &s, &err) < 0)
		return;
	if (s.full)
		note_full(d, &s, dir);
	else if (d->full)
		log_notice("the file system of %s has space again, %llu MiB: jobs are accepted",
			   dir, mib(s.free_bytes));
	if (s.full && d->known && s.reserve_left < d->space.reserve_left)
		log_warn("%s: %llu of %llu MiB of the reserve are left", dir, mib(s.reserve_left),
			 mib(s.reserve_bytes));
	if (!s.full)
		d->text[0] = '\0';
	d->full = s.full;
	d->starved = s.full && s.reserve_left < s.reserve_bytes / 2;
	d->space = s;
	d->known = true;
}

bool disk_refuses(const struct disk *d, enum msg_type type)
{
	return d->full && (type == MSG_SUBMIT || type == MSG_UPDATE_JOB);
}
