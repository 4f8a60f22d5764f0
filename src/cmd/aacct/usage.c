/*
 * Sums over attempts (usage.h). One request: the controller adds up, in its history. Keys are ordered by
 * what they used, days by time. Efficiency leaves out the attempts whose use is not known.
 */
#include "cmd/aacct/usage.h"

#include "cmd/aacct/period.h"
#include "util/mem.h"
#include "util/units.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { TIMEOUT_MS = 90000, DAYS_MAX = 10000 };

/* A row: the sum, and what is computed of it. */
struct usage_row {
	const Armada__UsageSum *sum;
	const char *key;
	double waste;
};

#define SUM(row) (((const struct usage_row *)(row))->sum)

static void key_text(const void *row, struct buf *out)
{
	const char *key = ((const struct usage_row *)row)->key;

	buf_addstr(out, *key ? key : "-");
}

static json_t *key_json(const void *row)
{
	return json_string(((const struct usage_row *)row)->key);
}

/* A member of Armada__UsageSum, which is a double, by its offset. */
static double member(const void *row, const void *offset)
{
	return *(const double *)((const char *)SUM(row) + (uintptr_t)offset);
}

static void hours_text(const void *row, const void *offset, struct buf *out)
{
	buf_addf(out, "%.2f", member(row, offset) / 3600);
}

static json_t *hours_json(const void *row, const void *offset)
{
	return column_real_json(member(row, offset) / 3600);
}

static void other_text(const void *row, struct buf *out)
{
	buf_addf(out, "%.2f", (SUM(row)->cpu_lost_other_s) / 3600);
}

static json_t *other_json(const void *row)
{
	return column_real_json(SUM(row)->cpu_lost_other_s / 3600);
}

/* NAN: not known. */
static double cpu_efficiency(const void *row)
{
	return SUM(row)->cpu_measured_s > 0 ? SUM(row)->cpu_used_s / SUM(row)->cpu_measured_s : NAN;
}

static double memory_efficiency(const void *row)
{
	return SUM(row)->memory_byte_s > 0 ? SUM(row)->memory_peak_byte_s / SUM(row)->memory_byte_s
					   : NAN;
}

static void cpu_text(const void *row, struct buf *out)
{
	column_fraction(cpu_efficiency(row), out);
}

static json_t *cpu_json(const void *row)
{
	return column_real_json(cpu_efficiency(row));
}

static void memory_text(const void *row, struct buf *out)
{
	column_fraction(memory_efficiency(row), out);
}

static json_t *memory_json(const void *row)
{
	return column_real_json(memory_efficiency(row));
}

static int64_t attempts(const void *row, const void *unused)
{
	(void)unused;
	return (int64_t)SUM(row)->attempts;
}

/* p50 or p95. */
static int64_t wait_us(const void *row, const void *percent)
{
	if (!SUM(row)->waits)
		return CELL_UNKNOWN;
	return percent ? SUM(row)->wait_p95_us : SUM(row)->wait_p50_us;
}

/* clang-format off */
#define HOURS(f) CELL_CUSTOM(hours_text, hours_json, (const void *)offsetof(Armada__UsageSum, f))
#define COLUMNS(name, heading, help) \
	{name, heading, 0, false, false, CELL(key_text, key_json), NULL, help}, \
	{"attempts", "ATTEMPTS", 0, true, false, CELL_NUMBER(attempts, NULL, NULL), NULL, "Number of attempts that ran in the period"}, \
	{"cpu_hours", "CPU_HOURS", 0, true, false, HOURS(cpu_s), NULL, "Hours of reserved cpus"}, \
	{"used", "USED", 0, true, false, HOURS(cpu_used_s), NULL, "Hours of processor time that was used"}, \
	{"idle", "IDLE", 0, true, false, HOURS(cpu_idle_s), NULL, "Cpu-hours that were reserved and not used"}, \
	{"lost_preemption", "LOST_PREEMPT", 0, true, false, HOURS(cpu_lost_preemption_s), NULL, "Cpu-hours of attempts that were preempted"}, \
	{"lost_node", "LOST_NODE", 0, true, false, HOURS(cpu_lost_node_s), NULL, "Cpu-hours of attempts whose node failed"}, \
	{"lost_other", "LOST_OTHER", 0, true, false, CELL(other_text, other_json), NULL, "Cpu-hours of attempts that were requeued for another reason"}, \
	{"gpu_hours", "GPU_HOURS", 0, true, false, HOURS(gpu_s), NULL, "Hours of reserved gpus"}, \
	{"gpu_lost_preemption", "GPU_LOST_PREEMPT", 0, true, false, HOURS(gpu_lost_preemption_s), NULL, "Gpu-hours of attempts that were preempted"}, \
	{"gpu_lost_node", "GPU_LOST_NODE", 0, true, false, HOURS(gpu_lost_node_s), NULL, "Gpu-hours of attempts whose node failed"}, \
	{"wait_p50", "WAIT_P50", 0, true, false, CELL_NUMBER(wait_us, NULL, format_duration), NULL, "Half of the attempts that started waited no longer than this for room"}, \
	{"wait_p95", "WAIT_P95", 0, true, false, CELL_NUMBER(wait_us, "95", format_duration), NULL, "95 of 100 attempts waited no longer than this; microseconds in JSON"}, \
	{"cpu_efficiency", "CPU_EFF", 0, true, false, CELL(cpu_text, cpu_json), NULL, "Used part of the reserved cpus"}, \
	{"memory_efficiency", "MEM_EFF", 0, true, false, CELL(memory_text, memory_json), NULL, "Peak memory of the largest task, as a part of the reserved memory of a task"},
static const struct column by_user[] = {COLUMNS("user", "USER", "User")};
static const struct column by_account[] = {COLUMNS("account", "ACCOUNT", "Account; - for none")};
static const struct column by_queue[] = {COLUMNS("queue", "QUEUE", "Queue")};
static const struct column by_class[] = {COLUMNS("class", "CLASS", "Priority class")};
static const struct column by_label[] = {COLUMNS("label", "LABEL", "Value of the label; - for jobs without it")};
static const struct column by_day[] = {COLUMNS("day", "DAY", "Day in the time zone of the command")};

#define USAGE_OF(word) word ",attempts,cpu_hours,used,idle,lost_preemption,lost_node,gpu_hours,wait_p50,wait_p95"
#define EFFICIENCY_OF(word) word ",attempts,cpu_hours,idle,cpu_efficiency,memory_efficiency"
static const struct listing usages[] = {
	[AACCT_BY_USER] = LISTING("usage", USAGE_OF("user"), by_user),
	[AACCT_BY_ACCOUNT] = LISTING("usage", USAGE_OF("account"), by_account),
	[AACCT_BY_QUEUE] = LISTING("usage", USAGE_OF("queue"), by_queue),
	[AACCT_BY_CLASS] = LISTING("usage", USAGE_OF("class"), by_class),
	[AACCT_BY_DAY] = LISTING("usage", USAGE_OF("day"), by_day),
	[AACCT_BY_LABEL] = LISTING("usage", USAGE_OF("label"), by_label),
};
static const struct listing efficiencies[] = {
	[AACCT_BY_USER] = LISTING("efficiency", EFFICIENCY_OF("user"), by_user),
	[AACCT_BY_ACCOUNT] = LISTING("efficiency", EFFICIENCY_OF("account"), by_account),
	[AACCT_BY_QUEUE] = LISTING("efficiency", EFFICIENCY_OF("queue"), by_queue),
	[AACCT_BY_CLASS] = LISTING("efficiency", EFFICIENCY_OF("class"), by_class),
	[AACCT_BY_DAY] = LISTING("efficiency", EFFICIENCY_OF("day"), by_day),
	[AACCT_BY_LABEL] = LISTING("efficiency", EFFICIENCY_OF("label"), by_label),
};
/* clang-format on */

const struct listing *usage_listing(const struct aacct *a)
{
	return a->efficiency ? &efficiencies[a->by] : &usages[a->by];
}

int usage_read_by(struct aacct *a, const char *value, struct err *err)
{
	static const char *const words[] = {"user", "account", "queue", "class", "day"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strcmp(value, words[i]) == 0) {
			a->by = (int)i;
			a->by_given = true;
			return 0;
		}
	if (strncmp(value, "label:", 6) == 0 && value[6]) {
		a->by = AACCT_BY_LABEL;
		a->label = value + 6;
		a->by_given = true;
		return 0;
	}
	return err_set(err, -EINVAL,
		       "'%.40s': expected user, account, queue, class, day or label:KEY", value);
}

/* The beginnings of all days of the period, and its end. */
static int set_bounds(const struct aacct *a, struct arena *arena, Armada__UsageSumsRequest *q,
		      struct err *err)
{
	q->bounds = arena_alloc(arena, (DAYS_MAX + 2) * sizeof(*q->bounds));
	q->bounds[q->n_bounds++] = a->start_us;
	for (int64_t day = period_day(a->start_us, 1); day < a->end_us; day = period_day(day, 1)) {
		if (q->n_bounds > DAYS_MAX)
			return err_set(err, -EINVAL, "the period has more than %d days", DAYS_MAX);
		q->bounds[q->n_bounds++] = day;
	}
	q->bounds[q->n_bounds++] = a->end_us;
	return 0;
}

static int by_waste(const void *left, const void *right)
{
	const struct usage_row *a = *(const struct usage_row *const *)left;
	const struct usage_row *b = *(const struct usage_row *const *)right;

	if (a->sum->from_us != b->sum->from_us)
		return a->sum->from_us < b->sum->from_us ? -1 : 1;
	if (a->waste != b->waste)
		return a->waste > b->waste ? -1 : 1;
	return strcmp(a->key, b->key);
}

static const char *day_of(int64_t us, struct arena *arena)
{
	time_t t = (time_t)(us / 1000000);
	char text[16];
	struct tm tm;

	localtime_r(&t, &tm);
	strftime(text, sizeof(text), "%Y-%m-%d", &tm);
	return arena_strdup(arena, text);
}

/* The rows in their order, in the arena. */
static const void **sort(const struct aacct *a, const Armada__UsageSumsReply *reply,
			 struct arena *arena)
{
	struct usage_row *rows = arena_zalloc(arena, reply->n_rows + 1, sizeof(*rows));
	const void **list = arena_zalloc(arena, reply->n_rows + 1, sizeof(*list));

	for (size_t i = 0; i < reply->n_rows; i++) {
		const Armada__UsageSum *s = reply->rows[i];

		rows[i].sum = s;
		rows[i].key = a->by == AACCT_BY_DAY ? day_of(s->from_us, arena) : s->key;
		rows[i].waste = a->efficiency ? s->cpu_idle_s : s->cpu_s;
		list[i] = &rows[i];
	}
	qsort(list, reply->n_rows, sizeof(*list), by_waste);
	return list;
}

static int fetch(const struct aacct *a, struct connection *c, struct arena *arena,
		 const void ***ret_rows, size_t *ret_count, struct err *err)
{
	static const Armada__UsageBy by[] = {
		[AACCT_BY_USER] = ARMADA__USAGE_BY__USAGE_BY_USER,
		[AACCT_BY_ACCOUNT] = ARMADA__USAGE_BY__USAGE_BY_ACCOUNT,
		[AACCT_BY_QUEUE] = ARMADA__USAGE_BY__USAGE_BY_QUEUE,
		[AACCT_BY_CLASS] = ARMADA__USAGE_BY__USAGE_BY_CLASS,
		[AACCT_BY_DAY] = ARMADA__USAGE_BY__USAGE_BY_TIME,
		[AACCT_BY_LABEL] = ARMADA__USAGE_BY__USAGE_BY_LABEL,
	};
	Armada__UsageSumsRequest q = ARMADA__USAGE_SUMS_REQUEST__INIT;
	const Armada__UsageSumsReply *reply;
	int rc = 0;

	q.filter = (Armada__JobFilter *)&a->which.filter.message;
	q.from_us = a->start_us;
	q.to_us = a->end_us;
	q.by = by[a->by];
	q.label = (char *)(a->label ? a->label : "");
	if (a->by == AACCT_BY_DAY)
		rc = set_bounds(a, arena, &q, err);
	if (rc == 0)
		rc = connection_ask(c, MSG_USAGE_SUMS, &q, MSG_USAGE_SUMS_REPLY, arena, TIMEOUT_MS,
				    &reply, err);
	if (rc < 0)
		return rc;
	*ret_rows = sort(a, reply, arena);
	*ret_count = reply->n_rows;
	return 0;
}

int usage_print(const struct aacct *a, struct connection *c, struct err *err)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	const void **rows;
	size_t count;
	int rc = fetch(a, c, arena, &rows, &count, err);

	return rc < 0 ? rc
		      : listing_print(usage_listing(a), &a->which.listing, rows, count, stdout,
				      err);
}

int usage_json(const struct aacct *a, struct connection *c, json_t **ret_rows, struct err *err)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	const void **rows;
	size_t count;
	int rc = fetch(a, c, arena, &rows, &count, err);

	if (rc == 0)
		*ret_rows = listing_json(usage_listing(a), rows, count);
	return rc;
}
