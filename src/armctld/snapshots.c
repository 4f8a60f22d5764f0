#include "armctld/snapshots.h"

/* Records between two snapshots, and bytes of log: at least these, or twice the last snapshot. */
enum { RECORDS = 200000, BYTES_MIN = 64 << 20, PAUSE_US = 10000000 };
/* The log is too large for the state when it is this many times the memory that is in use. */
enum { LARGE = 4, FAILURES_MAX = 6 };

void snapshots_record(struct snapshots *s, size_t len)
{
	s->log_bytes += len;
}

void snapshots_begun(struct snapshots *s)
{
	s->begun_bytes = s->log_bytes;
}

void snapshots_taken(struct snapshots *s, uint64_t seq, uint64_t bytes, int64_t steady_us)
{
	s->seq = seq;
	if (!s->failed)
		s->older_bytes = s->bytes;
	if (!s->failed)
		s->failures = 0;
	else if (s->failures < FAILURES_MAX)
		s->failures++;
	s->failed = false;
	s->bytes = bytes;
	s->log_bytes -= s->begun_bytes;
	s->begun_bytes = 0;
	s->taken_us = steady_us;
}

void snapshots_failed(struct snapshots *s)
{
	s->failed = true;
}

bool snapshots_due(const struct snapshots *s, uint64_t seq, uint64_t used, int64_t steady_us)
{
	uint64_t limit = 2 * s->bytes > BYTES_MIN ? 2 * s->bytes : BYTES_MIN;
	uint64_t stored = s->bytes + s->log_bytes;

	if (seq < s->seq)
		return false;
	if (s->failed)
		return steady_us - s->taken_us >= (int64_t)PAUSE_US << s->failures;
	if (seq - s->seq >= RECORDS || s->log_bytes >= limit)
		return true;
	if (steady_us - s->taken_us < PAUSE_US)
		return false;
	/* The plugin keeps two. The one before is large: another one is due, if of the same record. */
	if (s->older_bytes > BYTES_MIN && s->older_bytes / LARGE > s->bytes)
		return true;
	/* The state has shrunk: jobs have left that the last snapshot or the log still holds. */
	return seq > s->seq && used && stored > BYTES_MIN && stored / LARGE > used;
}
