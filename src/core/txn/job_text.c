#include "core/txn/job_text.h"

#include "core/txn/txn.h"
#include "util/mem.h"

#include <ctype.h>
#include <string.h>

static size_t digits(const char *p)
{
	size_t n = 0;

	while (isdigit((unsigned char)p[n]))
		n++;
	return n;
}

/* The length of "job 17" or "job 17_3" at p; 0: no such text. */
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

char *job_text_hide(char *text, job_seen_fn *seen, void *arg, struct arena *a)
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

static bool is_own(void *arg, uint64_t job)
{
	return *(const uint64_t *)arg == job;
}

char *job_text_strip(char *text, uint64_t own, struct arena *a)
{
	return job_text_hide(text, is_own, &own, a);
}

void job_text_strip_row(Armada__JobRow *row, struct arena *a)
{
	row->reason = job_text_strip(row->reason, row->job, a);
	row->last_end = job_text_strip(row->last_end, row->job, a);
	row->for_job = row->for_element = 0;
	row->for_queue = (char *)"";
}
