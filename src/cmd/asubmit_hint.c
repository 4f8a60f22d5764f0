/*
 * What the last jobs of the same name used (asubmit_hint.h).
 *
 * Input: the job that was submitted, and the newest attempts of its user and name. Output: a line, if what
 * they used differs much from what the job requests. Attempts that ran for some seconds only say nothing
 * about the need, nor do those that were cancelled or preempted.
 */
#include "cmd/asubmit_hint.h"

#include "client/filter.h"
#include "util/clock.h"
#include "util/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ATTEMPTS = 5, PATIENCE_MS = 1000, RAN_S = 10 };

static const int64_t second_us = 1000000;
static const int64_t age_us = INT64_C(60) * 86400 * 1000000;
/* Less memory than this is not worth a line. */
static const int64_t memory_noticed = INT64_C(1) << 30;

/* What attempts used at most; cpus in millicores. */
struct used {
	uint32_t count;
	int64_t memory, cpu;
	bool out_of_memory;
};

static int64_t requested(const Armada__TaskGroup *g, const char *name)
{
	for (size_t i = 0; i < g->n_resources; i++)
		if (strcmp(g->resources[i]->name, name) == 0)
			return g->resources[i]->amount;
	return 0;
}

static bool tells(const Armada__JobRow *r)
{
	return r->usage && r->start_us &&
	       (r->state == ARMADA__JOB_STATE__JOB_OUT_OF_MEMORY ||
		((r->state == ARMADA__JOB_STATE__JOB_COMPLETED ||
		  r->state == ARMADA__JOB_STATE__JOB_TIMEOUT) &&
		 r->end_us - r->start_us >= RAN_S * second_us));
}

static void add(struct used *u, const Armada__JobRow *r)
{
	int64_t elapsed_us = r->end_us - r->start_us, cpu;

	u->count++;
	u->out_of_memory |= r->state == ARMADA__JOB_STATE__JOB_OUT_OF_MEMORY;
	if (r->usage->max_rss_bytes > u->memory)
		u->memory = r->usage->max_rss_bytes;
	cpu = elapsed_us > 0 ? (int64_t)((double)r->usage->cpu_us * 1000 / (double)elapsed_us /
					 (r->tasks ? r->tasks : 1))
			     : 0;
	if (cpu > u->cpu)
		u->cpu = cpu;
}

static int ask(struct connection *c, const char *name, struct arena *arena, struct used *ret_used)
{
	Armada__AccountingRequest q = ARMADA__ACCOUNTING_REQUEST__INIT;
	const Armada__AccountingReply *reply;
	struct filter f;
	struct err ignored;
	int rc;

	filter_init(&f);
	rc = filter_add(&f, FILTER_ME, NULL, &ignored);
	f.message.names = (char **)&name;
	f.message.n_names = 1;
	q.filter = &f.message;
	q.from_us = clock_us(CLOCK_REALTIME) - age_us;
	q.newest_first = true;
	q.limit = ATTEMPTS;
	if (rc == 0)
		rc = connection_ask(c, MSG_ACCOUNTING, &q, MSG_ACCOUNTING_REPLY, arena, PATIENCE_MS,
				    &reply, &ignored);
	for (size_t i = 0; rc == 0 && i < reply->n_rows; i++)
		if (tells(reply->rows[i]))
			add(ret_used, reply->rows[i]);
	f.message.names = NULL;
	f.message.n_names = 0;
	filter_done(&f);
	return rc;
}

/* "1.2G of 16G memory", if it is less than a quarter, or all of it. */
static bool add_memory(const struct used *u, int64_t wanted, struct buf *out)
{
	char peak[32], all[32];

	if (!wanted ||
	    (!u->out_of_memory && (u->memory * 4 > wanted || wanted - u->memory < memory_noticed)))
		return false;
	format_size(u->memory, peak, sizeof(peak));
	format_size(wanted, all, sizeof(all));
	buf_addf(out, "%s of %s memory", peak, all);
	return true;
}

static bool add_cpus(const struct used *u, int64_t wanted, struct buf *out)
{
	char mean[32], all[32];

	if (wanted < 2000 || u->cpu * 2 > wanted)
		return false;
	format_cpu((u->cpu + 50) / 100 * 100, mean, sizeof(mean));
	format_cpu(wanted, all, sizeof(all));
	buf_addf(out, "%s%s of %s cpus", out->len ? " and " : "", mean, all);
	return true;
}

void asubmit_hint(struct connection *c, const struct spec *s)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	CLEANUP_BUF struct buf text = {0};
	struct used used = {0};
	bool memory, cpus;

	if (!isatty(STDERR_FILENO) || !isatty(STDOUT_FILENO) || s->part_count || !s->job.name[0] ||
	    ask(c, s->job.name, arena, &used) < 0 || !used.count)
		return;
	memory = add_memory(&used, requested(&s->group, "memory"), &text);
	cpus = add_cpus(&used, requested(&s->group, "cpu"), &text);
	if (!memory && !cpus)
		return;
	fprintf(stderr, "asubmit: the last %s'%s' used at most %s%s (aacct --name %s)\n",
		used.count > 1 ? "jobs " : "job ", s->job.name, (const char *)text.data,
		used.out_of_memory ? ", which was too little" : "", s->job.name);
}
