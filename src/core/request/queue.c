/*
 * QUEUE: creates, updates or deletes queues: all that a request names, or none.
 *
 * Each queue is checked first: the caller's rights, the values, and the grants. Then the users and
 * groups that the request names are looked up by the shell, and the request comes again with them.
 * Only then the events are emitted. An update changes only the given fields.
 */
#include "conf/queue_spec.h"
#include "core/admission/conf_queues.h"
#include "core/admission/grant_check.h"
#include "core/admission/queue_check.h"
#include "core/request/request.h"
#include "core/txn/emit.h"
#include "core/txn/reply.h"
#include "core/view/no_such.h"
#include "core/view/rights.h"
#include "util/mem.h"
#include "util/plural.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define VERB(name) ARMADA__QUEUE_REQUEST__VERB__QUEUE_##name

enum { EXIT_REFUSED = 1, EXIT_USAGE = 2, EXIT_NOT_FOUND = 3, EXIT_NOT_PERMITTED = 4 };

/* One queue of a request while it is checked. */
struct change {
	Armada__QueueSpec *asked;  /* from the message */
	const struct queue *queue; /* NULL: it does not exist */
	Armada__QueueSpec
		*made; /* in the arena, sharing nothing with the queue; of CREATE and UPDATE */
};

struct changes {
	struct txn *txn;
	const Armada__QueueRequest *m;
	struct change *list; /* in the order of the message */
	size_t count;
	int code;
	struct err err;
};

static int no(struct changes *s, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int no(struct changes *s, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s->err.text, sizeof(s->err.text), fmt, ap);
	va_end(ap);
	s->code = code;
	return -EINVAL;
}

static bool may_change(const struct changes *s, const struct change *one, enum verb verb)
{
	return rights_may(s->txn, s->txn->in->caller, verb, NULL, one->queue);
}

static const char *caller_name(const struct txn *txn)
{
	return txn->in->caller->user ? txn->in->caller->user : "your user id";
}

/* The given fields replace those of the queue. */
static int merge(struct changes *s, struct change *one)
{
	size_t given = 0;

	for (size_t i = 0; i < QUEUE_FIELDS; i++) {
		const struct queue_field *f = &queue_fields[i];
		enum verb verb = f->owners_may ? VERB_QUEUE_MANAGE : VERB_QUEUE;

		if (!queue_field_given(f, one->asked))
			continue;
		if (!may_change(s, one, verb))
			return no(s, EXIT_NOT_PERMITTED,
				  "queue '%s': %s may not change its %s: only %s may",
				  one->queue->name, caller_name(s->txn), f->words,
				  f->owners_may ? "its owners and administrators"
						: "administrators");
		queue_field_copy(f, one->asked, one->made);
		given++;
	}
	if (!given)
		return no(s, EXIT_USAGE, "queue '%s': no fields given", one->queue->name);
	return 0;
}

/*
 * Limits of kinds that are not given stay. A negative value deletes that limit. An empty list,
 * which never comes here, deletes all.
 */
static void merge_quota(Armada__Limit ***list, size_t *n, Armada__Limit *const *now, size_t count,
			struct arena *a)
{
	Armada__Limit **all = arena_alloc(a, (*n + count) * sizeof(*all));
	size_t to = 0;

	for (size_t i = 0; i < count; i++) {
		size_t k = 0;

		while (k < *n && (*list)[k]->kind != now[i]->kind)
			k++;
		if (k == *n)
			all[to++] = now[i];
	}
	for (size_t i = 0; i < *n; i++)
		if ((*list)[i]->value >= 0)
			all[to++] = (*list)[i];
	*list = all;
	*n = to;
}

/*
 * A copy of the given fields with complete limits. The message is kept: it may have to come again.
 */
static Armada__QueueSpec *complete(struct changes *s, const struct change *one)
{
	struct arena *a = s->txn->arena;
	Armada__QueueSpec *m = arena_memdup(a, one->asked, sizeof(*one->asked));
	const Armada__QueueSpec *now = queue_spec(one->queue, a);

	if (m->set_quota && m->n_quota)
		merge_quota(&m->quota, &m->n_quota, now->quota, now->n_quota, a);
	if (m->set_user_quota && m->n_user_quota)
		merge_quota(&m->user_quota, &m->n_user_quota, now->user_quota, now->n_user_quota,
			    a);
	return m;
}

static int look_create(struct changes *s, struct change *one)
{
	if (!may_change(s, one, VERB_QUEUE))
		return no(s, EXIT_NOT_PERMITTED,
			  "queue '%s': only administrators may create queues", one->asked->name);
	if (one->queue)
		return no(s, EXIT_REFUSED, "queue '%s' exists already", one->asked->name);
	if (queue_check(s->txn, one->asked, true, &s->err) < 0)
		return -EINVAL;
	one->made = queue_spec_copy(one->asked, s->txn->arena);
	if (one->made->priority_factor == 0)
		one->made->priority_factor = 1;
	one->made->automatic = false;
	queue_spec_settle(one->made, s->txn->arena);
	return 0;
}

static int look_update(struct changes *s, struct change *one)
{
	int rc;

	if (!one->queue)
		return no(s, EXIT_NOT_FOUND, "%s", no_such_queue(s->txn, one->asked->name));
	one->asked = complete(s, one);
	one->made = queue_spec(one->queue, s->txn->arena);
	rc = merge(s, one);
	if (rc < 0)
		return rc;
	if (queue_check(s->txn, one->asked, false, &s->err) < 0)
		return -EINVAL;
	if (queue_check_times(one->made, &s->err) < 0)
		return err_prefix(&s->err, -EINVAL, "queue '%s'", one->queue->name);
	if (grants_check(s->txn, one->queue, one->made, &s->err) < 0) {
		s->code = EXIT_NOT_PERMITTED;
		return err_prefix(&s->err, -EPERM, "queue '%s'", one->queue->name);
	}
	one->made = queue_spec_copy(one->made, s->txn->arena);
	queue_spec_settle(one->made, s->txn->arena);
	return 0;
}

/* Refuses to delete a queue with jobs. */
static int no_jobs(struct changes *s, const struct queue *q)
{
	return no(s, EXIT_REFUSED,
		  "queue '%s' holds %" PRIu64 " job%s: %" PRIu64 " running, %" PRIu64
		  " waiting; cancel or wait for %s first",
		  q->name, q->jobs, plural(q->jobs, "", "s"), q->active, q->waiting,
		  plural(q->jobs, "it", "them"));
}

static int look_delete(struct changes *s, struct change *one)
{
	const struct queue *q = one->queue;

	if (!q)
		return no(s, EXIT_NOT_FOUND, "%s", no_such_queue(s->txn, one->asked->name));
	if (!may_change(s, one, VERB_QUEUE))
		return no(s, EXIT_NOT_PERMITTED,
			  "queue '%s': only administrators may delete queues", q->name);
	if (conf_queues_find(s->txn->policy, q->name))
		return no(s, EXIT_REFUSED,
			  "queue '%s' is declared in armada.conf: remove it there and reconfigure "
			  "first",
			  q->name);
	return q->jobs ? no_jobs(s, q) : 0;
}

static void emit_set(struct txn *txn, const struct change *one)
{
	const char *user = txn->in->caller->user;
	Armada__QueueSet *m;
	Armada__Event *ev = emit_make(txn, ARMADA__EVENT__KIND_QUEUE_SET, &m);

	m->spec = one->made;
	m->by = (char *)(user ? user : "an administrator");
	m->by_uid = txn->in->caller->uid;
	emit_event(txn, ev);
}

static void emit_delete(struct txn *txn, const struct change *one)
{
	Armada__QueueDeleted *m;
	Armada__Event *ev = emit_make(txn, ARMADA__EVENT__KIND_QUEUE_DELETED, &m);

	m->name = one->asked->name;
	emit_event(txn, ev);
}

static const struct {
	int (*look)(struct changes *s, struct change *one);
	void (*emit)(struct txn *txn, const struct change *one);
	const char *done;
} verbs[] = {
	[VERB(CREATE)] = {look_create, emit_set, "created"},
	[VERB(UPDATE)] = {look_update, emit_set, "updated"},
	[VERB(DELETE)] = {look_delete, emit_delete, "deleted"},
};

static int by_name(const void *a, const void *b)
{
	const struct change *const *x = a, *const *y = b;

	return strcmp((*x)->asked->name, (*y)->asked->name);
}

static int check_twice(struct changes *s)
{
	const struct change **list = arena_alloc(s->txn->arena, s->count * sizeof(*list));

	for (size_t i = 0; i < s->count; i++)
		list[i] = &s->list[i];
	qsort(list, s->count, sizeof(*list), by_name);
	for (size_t i = 1; i < s->count; i++)
		if (by_name(&list[i - 1], &list[i]) == 0)
			return no(s, EXIT_REFUSED, "queue '%s' is named twice",
				  list[i]->asked->name);
	return 0;
}

/* All checks. True: the request was answered, or comes again with names. */
static bool is_answered(struct changes *s)
{
	bool whole = s->m->verb == VERB(CREATE);
	struct names names = {0};
	int rc = check_twice(s);

	for (size_t i = 0; rc == 0 && i < s->count; i++) {
		s->list[i].queue = queue_find(s->txn->state, s->list[i].asked->name);
		s->code = EXIT_REFUSED;
		rc = verbs[s->m->verb].look(s, &s->list[i]);
	}
	if (rc < 0) {
		reply_refuse(s->txn, s->code, "%s", s->err.text);
		return true;
	}
	for (size_t i = 0; s->m->verb != VERB(DELETE) && i < s->count; i++)
		queue_want_names(s->txn, s->list[i].asked, whole, &names);
	return name_lookup_ask(s->txn, &names, s->m);
}

/*
 * True if the next reading of armada.conf undoes the change. A cordon stays if the file does not
 * mention it.
 */
static bool is_passing(const struct core_policy *p, const Armada__QueueSpec *spec)
{
	const Armada__QueueSpec *d = conf_queues_find(p, spec->name);
	bool cordon_stays = d && !d->set_cordoned;

	for (size_t i = 0; d && i < QUEUE_FIELDS; i++)
		if (queue_field_given(&queue_fields[i], spec) &&
		    !(cordon_stays && i == QUEUE_OF_cordoned))
			return true;
	return false;
}

static void say_done(const struct changes *s)
{
	const char *done = verbs[s->m->verb].done;
	size_t declared = 0;

	for (size_t i = 0; s->m->verb == VERB(UPDATE) && i < s->count; i++)
		declared += is_passing(s->txn->policy, s->list[i].asked);
	if (s->count == 1)
		reply_ok(s->txn, "queue %s %s%s", s->m->spec->name, done,
			 declared
				 ? "; the next reconfiguration sets the values of armada.conf again"
				 : "");
	else
		reply_ok(s->txn, "%zu queues %s%s", s->count, done,
			 declared
				 ? "; the next reconfiguration sets the values of armada.conf again"
				 : "");
}

void req_queue(struct txn *txn, const Armada__QueueRequest *m)
{
	struct changes s = {.txn = txn, .m = m, .count = m->spec ? m->n_more + 1 : 0};

	if (!s.count) {
		reply_refuse(txn, EXIT_USAGE, "no queue is named");
		return;
	}
	if (m->verb <= 0 || (size_t)m->verb >= ARRAY_SIZE(verbs)) {
		reply_refuse(txn, EXIT_REFUSED,
			     "the action for queue '%s' is not known to this controller",
			     m->spec->name);
		return;
	}
	s.list = arena_zalloc(txn->arena, s.count, sizeof(*s.list));
	for (size_t i = 0; i < s.count; i++)
		s.list[i].asked = i ? m->more[i - 1] : m->spec;
	if (is_answered(&s))
		return;
	for (size_t i = 0; i < s.count; i++)
		verbs[m->verb].emit(txn, &s.list[i]);
	say_done(&s);
}
