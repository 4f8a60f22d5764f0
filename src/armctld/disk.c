#define LOG_AREA LOG_AREA_STATE
#include "armctld/disk.h"

#include "util/log.h"
#include "util/units.h"

#include <stdio.h>
#include <string.h>

/* A submission waits for the store so long before the next ones are refused. */
enum { STALL_US = 10000000 };

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

	d->starved = false;
	d->text[0] = '\0';
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
	d->full = s.full;
	d->starved = s.full && s.reserve_left < s.reserve_bytes / 2;
	d->space = s;
	d->known = true;
}

static void note_backlog(struct disk *d, const struct history_backlog *b, int64_t backlog_max)
{
	char text[512];

	snprintf(
		text, sizeof(text),
		"%llu MiB of ended jobs wait to be written to the history, more than "
		"limits.history_backlog (%llu MiB); jobs are accepted again when they are written%s%.200s",
		mib(b->bytes), mib((uint64_t)backlog_max), b->why[0] ? ": " : "", b->why);
	if (!d->backlog)
		log_error("%s; until then submissions and updates of jobs are refused", text);
	if (!d->full)
		memcpy(d->text, text, sizeof(text));
}

void disk_look_history(struct disk *d, const struct history_backlog *b, int64_t backlog_max)
{
	bool over = b->bytes > (uint64_t)backlog_max;

	if (over)
		note_backlog(d, b, backlog_max);
	else if (d->backlog)
		log_notice("the history is written again: jobs are accepted");
	if (!over && !d->full && b->why[0])
		snprintf(d->text, sizeof(d->text),
			 "the history cannot be written, ended jobs wait in memory: %s", b->why);
	d->backlog = over;
	if (b->bytes / 2 > (uint64_t)backlog_max)
		d->starved = true;
}

void disk_look_commit(struct disk *d, struct commit *commit)
{
	char why[512];
	int64_t stalled_us = commit_stalled(commit, why);
	bool stalled = stalled_us > STALL_US;

	if (stalled && !d->full && !d->backlog)
		snprintf(
			d->text, sizeof(d->text),
			"records have waited for %s; jobs are accepted again when they are written: %.380s",
			duration_words(stalled_us).text, why);
	if (stalled && !d->stalled)
		log_error("%s; until then submissions and updates of jobs are refused", d->text);
	d->stalled = stalled;
	if (stalled)
		d->starved = true;
}

bool disk_refuses(const struct disk *d, enum msg_type type)
{
	return (d->full || d->backlog || d->stalled) &&
	       (type == MSG_SUBMIT || type == MSG_UPDATE_JOB);
}
