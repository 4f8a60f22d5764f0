/*
 * Time limits, grace periods and warning signals (time_limit.h).
 *
 * Input: a spec, and the defaults and maxima of its queue, its class and the cluster. Output: the
 * settled values in the spec, with the origin of the limit (time_limit_by), or a refusal.
 */
#include "core/admission/time_limit.h"

#include "core/admission/user_queue.h"
#include "util/units.h"

#include <errno.h>
#include <string.h>

#define BY(name) ARMADA__LIMIT_BY__LIMIT_BY_##name

/* The longest accepted time. */
#define LONGEST_S (INT64_C(100) * 366 * 86400)

enum { GRACE_LEAST_MS = 1000, SIGNAL_LAST = 64, BEFORE_DEFAULT_S = 60, BEFORE_MAX_S = 65535 };

/* The sources of defaults and maxima, in the order in which defaults apply. */
enum place { QUEUE, CLASS, CLUSTER, PLACES };

static const struct {
	Armada__LimitBy by_default, by_max;
} origins[PLACES] = {
	[QUEUE] = {BY(QUEUE), BY(QUEUE_MAX)},
	[CLASS] = {BY(CLASS), BY(CLASS_MAX)},
	[CLUSTER] = {BY(CLUSTER), BY(CLUSTER_MAX)},
};

/* The default and maximum of one source; 0: none. */
struct bounds {
	int64_t default_s, max_s;
};

static void ask_class(const struct core_policy *p, const char *name, struct bounds *ret)
{
	for (size_t i = 0; p->class_rules && i < p->class_count; i++)
		if (strcmp(p->classes[i].name, name) == 0) {
			ret->default_s = p->class_rules[i].default_s;
			ret->max_s = p->class_rules[i].max_s;
		}
}

static void ask_all(const struct txn *txn, const Armada__JobSpec *spec, struct bounds ret[PLACES])
{
	const struct queue *q = user_queue_for(txn, spec->queue);

	memset(ret, 0, PLACES * sizeof(*ret));
	if (q)
		ret[QUEUE] = (struct bounds){q->spec->default_time_s, q->spec->max_time_s};
	ask_class(txn->policy, spec->priority_class, &ret[CLASS]);
	ret[CLUSTER].default_s = txn->policy->default_time_limit_us / 1000000;
	ret[CLUSTER].max_s = txn->policy->max_time_limit_us / 1000000;
}

/* The source with the least maximum; PLACES: none. */
static enum place strictest(const struct bounds bounds[PLACES])
{
	enum place least = PLACES;

	for (enum place i = 0; i < PLACES; i++)
		if (bounds[i].max_s && (least == PLACES || bounds[i].max_s < bounds[least].max_s))
			least = i;
	return least;
}

static int refuse_limit(const Armada__JobSpec *spec, enum place who, int64_t max_s, struct err *err)
{
	struct duration_words most = duration_words(max_s * 1000000);

	switch (who) {
	case QUEUE:
		return err_set(err, -EINVAL,
			       "time: at most %s is accepted in queue '%s' (its max_time)",
			       most.text, spec->queue);
	case CLASS:
		return err_set(err, -EINVAL,
			       "time: at most %s is accepted in priority class '%s' (its max_time)",
			       most.text, spec->priority_class);
	default:
		return err_set(err, -EINVAL, "time: at most %s is accepted (limits.max_time_limit)",
			       most.text);
	}
}

/* The first default, cut to the least maximum; -1: no limit. */
static int64_t choose(const struct bounds bounds[PLACES], enum place least, Armada__LimitBy *ret_by)
{
	for (enum place i = 0; i < PLACES; i++) {
		if (!bounds[i].default_s)
			continue;
		if (least < PLACES && bounds[i].default_s > bounds[least].max_s)
			break;
		*ret_by = origins[i].by_default;
		return bounds[i].default_s;
	}
	*ret_by = least < PLACES ? origins[least].by_max : BY(UNSET);
	return least < PLACES ? bounds[least].max_s : -1;
}

static int settle(const struct txn *txn, Armada__JobSpec *spec, bool is_free, struct err *err)
{
	struct bounds bounds[PLACES];
	enum place least;

	ask_all(txn, spec, bounds);
	least = strictest(bounds);
	if (!spec->time_limit_s) {
		spec->time_limit_s = choose(bounds, least, &spec->time_limit_by);
		return 0;
	}
	if (spec->time_limit_s > LONGEST_S || spec->time_limit_s < -1)
		return err_set(err, -EINVAL,
			       "time: at most 100 years, or none at all, is accepted");
	if (!is_free && least < PLACES &&
	    (spec->time_limit_s < 0 || spec->time_limit_s > bounds[least].max_s))
		return refuse_limit(spec, least, bounds[least].max_s, err);
	spec->time_limit_by = BY(JOB);
	return 0;
}

int time_limit_settle(const struct txn *txn, Armada__JobSpec *spec, struct err *err)
{
	return settle(txn, spec, false, err);
}

/*
 * No grace period and 0 mean one second. A value between 0 and one second is refused.
 */
static int settle_grace(const struct core_policy *p, Armada__JobSpec *spec, struct err *err)
{
	int64_t grace_ms = spec->grace_ms ? spec->grace_ms : p->default_grace_us / 1000;

	if (!grace_ms)
		grace_ms = GRACE_LEAST_MS;
	if (grace_ms < GRACE_LEAST_MS)
		return err_set(err, -EINVAL, "grace period: at least 1 s is accepted; 0 means 1 s");
	if (grace_ms > p->max_grace_us / 1000) {
		return err_set(err, -EINVAL,
			       "grace period: at most %s is accepted (limits.max_grace_period)",
			       duration_words(p->max_grace_us).text);
	}
	spec->grace_ms = grace_ms;
	return 0;
}

static int settle_signal(Armada__JobSpec *spec, struct err *err)
{
	int64_t limit_s = spec->time_limit_s, before_s = spec->signal_before_s;

	if (spec->signal < 0 || spec->signal > SIGNAL_LAST)
		return err_set(err, -EINVAL, "signal: %d is not a signal: expected 1 to %d",
			       spec->signal, SIGNAL_LAST);
	if (!spec->signal) {
		spec->signal_before_s = 0;
		return 0;
	}
	if (before_s < 0 || before_s > BEFORE_MAX_S)
		return err_set(err, -EINVAL, "signal: at most %s before the time limit",
			       duration_words(BEFORE_MAX_S * INT64_C(1000000)).text);
	if (!before_s) {
		before_s = BEFORE_DEFAULT_S;
		/* a short job is warned after half of its time */
		if (limit_s > 0 && before_s >= limit_s)
			before_s = limit_s > 1 ? limit_s / 2 : 1;
	} else if (limit_s > 0 && before_s >= limit_s) {
		return err_set(err, -EINVAL,
			       "signal: %s before the time limit is before the job starts: its "
			       "limit is %s",
			       duration_words(before_s * 1000000).text,
			       duration_words(limit_s * 1000000).text);
	}
	spec->signal_before_s = before_s;
	return 0;
}

/* True if the user set the limit. Older releases did not record the origin: any limit counts. */
static bool is_asked_for(const Armada__JobSpec *spec)
{
	return spec->time_limit_by == BY(JOB) || spec->time_limit_by == BY(CHANGE) ||
	       (spec->time_limit_by == BY(UNSET) && spec->time_limit_s > 0);
}

int time_limit_update(const struct txn *txn, Armada__JobSpec *spec,
		      const struct time_limit_change *change, struct err *err)
{
	int rc = 0;

	if (change->place && !change->time && !is_asked_for(spec))
		spec->time_limit_s = 0;
	if (change->place || change->time)
		rc = settle(txn, spec, change->free, err);
	if (rc == 0 && change->grace)
		rc = settle_grace(txn->policy, spec, err);
	if (spec->time_limit_s > 0 && spec->signal_before_s >= spec->time_limit_s)
		spec->signal_before_s = 0;
	return rc < 0 ? rc : settle_signal(spec, err);
}

int time_limit_settle_end(const struct txn *txn, Armada__JobSpec *spec, struct err *err)
{
	int rc = settle_grace(txn->policy, spec, err);

	return rc < 0 ? rc : settle_signal(spec, err);
}

static const char *origin_of(const Armada__JobSpec *spec, struct arena *arena)
{
	switch (spec->time_limit_by) {
	case BY(JOB):
		return "--time";
	case BY(CHANGE):
		return "changed by actl update";
	case BY(QUEUE):
		return arena_printf(arena, "default of queue %s", spec->queue);
	case BY(CLASS):
		return arena_printf(arena, "default of class %s", spec->priority_class);
	case BY(CLUSTER):
		return "default of the cluster";
	case BY(QUEUE_MAX):
		return arena_printf(arena, "maximum of queue %s", spec->queue);
	case BY(CLASS_MAX):
		return arena_printf(arena, "maximum of class %s", spec->priority_class);
	case BY(CLUSTER_MAX):
		return "maximum of the cluster";
	default:
		return "";
	}
}

const char *time_limit_words(const Armada__JobSpec *spec, struct arena *arena)
{
	const char *origin = origin_of(spec, arena);

	if (spec->time_limit_s <= 0)
		return "";
	return arena_printf(arena, "%s%s%s%s", duration_words(spec->time_limit_s * 1000000).text,
			    *origin ? " (" : "", origin, *origin ? ")" : "");
}

const char *time_limit_lowered(const Armada__JobSpec *spec, int64_t limit_s, struct arena *arena)
{
	struct duration_words now = duration_words(limit_s * 1000000);

	return arena_printf(arena, "%s (lowered from %s for an earlier start: --time-min)",
			    now.text, duration_words(spec->time_limit_s * 1000000).text);
}

int time_limit_check_queue(int64_t default_s, int64_t max_s, struct err *err)
{
	if (default_s < 0 || default_s > LONGEST_S || max_s < 0 || max_s > LONGEST_S)
		return err_set(err, -EINVAL, "a time is at most 100 years");
	if (max_s && default_s > max_s) {
		return err_set(err, -EINVAL,
			       "its default time, %s, is longer than its max time, %s",
			       duration_words(default_s * 1000000).text,
			       duration_words(max_s * 1000000).text);
	}
	return 0;
}
