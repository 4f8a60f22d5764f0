/* Private clusters: what is told to who does not see every job. */
#include "core/request.h"
#include "util/buf.h"
#include "util/mem.h"

#include <ctype.h>
#include <string.h>

const struct core_viewer *sight_viewer(struct core *c)
{
	const struct caller *who = c->in->caller;
	struct core_viewer *v;
	const char **queues;

	if (sees_all(c))
		return NULL;
	v = arena_zalloc(c->arena, 1, sizeof(*v));
	queues = arena_alloc(c->arena, (HASH_COUNT(c->queues) + 1) * sizeof(*queues));
	v->uid = who->uid;
	v->user = who->user;
	v->queues = queues;
	for (const struct queue *q = c->queues; q; q = q->hh.next)
		if (may(c, who, VERB_WATCH, NULL, q))
			queues[v->queue_count++] = q->name;
	return v;
}

bool viewer_sees(const struct core_viewer *v, uint32_t uid, const char *queue)
{
	if (!v || v->uid == uid)
		return true;
	for (size_t i = 0; i < v->queue_count; i++)
		if (strcmp(v->queues[i], queue) == 0)
			return true;
	return false;
}

typedef bool seen_fn(void *arg, uint64_t job);

static size_t digits(const char *p)
{
	size_t n = 0;

	while (isdigit((unsigned char)p[n]))
		n++;
	return n;
}

/* Does "job 17" or "job 17_3" begin at p? Its length, else 0. */
static size_t job_at(const char *text, const char *p, uint64_t *ret_job)
{
	static const char word[] = "job ";
	size_t len = sizeof(word) - 1, n;

	if (strncmp(p, word, len) != 0 || (p > text && isalnum((unsigned char)p[-1])))
		return 0;
	n = digits(p + len);
	if (!n)
		return 0;
	*ret_job = strtoull(p + len, NULL, 10);
	len += n;
	n = p[len] == '_' ? digits(p + len + 1) : 0;
	return n ? len + 1 + n : len;
}

/* The same text, or one in the arena. */
static char *without_jobs(char *text, seen_fn *seen, void *arg, struct arena *a)
{
	struct buf out CLEANUP_BUF = {0};
	const char *from = text;
	uint64_t job;

	for (const char *p = text; *p;) {
		size_t len = job_at(text, p, &job);

		if (len && !seen(arg, job)) {
			buf_add(&out, from, (size_t)(p - from));
			buf_addf(&out, "another job");
			from = p + len;
		}
		p += len ? len : 1;
	}
	if (from == text)
		return text;
	buf_addf(&out, "%s", from);
	return arena_strdup(a, (const char *)out.data);
}

static bool is_seen(void *arg, uint64_t job)
{
	struct core *c = arg;
	const struct job *j = job_find(c, job);

	return j && sees(c, j);
}

char *sight_text(struct core *c, char *text)
{
	return sees_all(c) ? text : without_jobs(text, is_seen, c, c->arena);
}

void sight_row(struct core *c, Armada__JobRow *row)
{
	row->reason = sight_text(c, row->reason);
	row->last_end = sight_text(c, row->last_end);
}

static bool is_own(void *arg, uint64_t job)
{
	return *(const uint64_t *)arg == job;
}

char *text_without_jobs(char *text, uint64_t own, struct arena *a)
{
	return without_jobs(text, is_own, &own, a);
}

void row_without_jobs(Armada__JobRow *row, struct arena *a)
{
	row->reason = text_without_jobs(row->reason, row->job, a);
	row->last_end = text_without_jobs(row->last_end, row->job, a);
}
