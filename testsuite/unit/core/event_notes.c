#include "unit/core/event_notes.h"

#include "core/state/state.h"
#include "core/txn/job_events.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <stdio.h>
#include <string.h>

/* A job set and its last number. */
struct set_note {
	char *key;
	uint64_t last;
	UT_hash_handle hh;
};

struct event_note {
	Armada__JobEvent *event; /* in the arena */
	const char *set;
};

struct event_notes {
	struct set_note *sets;
	struct arena *arena;
	struct event_note *list;
	size_t count, cap;
	struct buf all; /* every event: its set, number and bytes */
	struct buf text;
	const char *set; /* of the last one that was asked for */
};

struct event_notes *event_notes_new(void)
{
	struct event_notes *n = xcalloc(1, sizeof(*n));

	n->arena = arena_new(0);
	return n;
}

void event_notes_free(struct event_notes *n)
{
	struct set_note *s, *next;

	HASH_ITER (hh, n->sets, s, next) {
		HASH_DEL(n->sets, s);
		free(s->key);
		free(s);
	}
	arena_free(n->arena);
	free(n->list);
	buf_done(&n->all);
	buf_done(&n->text);
	free(n);
}

static void check_number(struct event_notes *n, const struct state *state, const char *key,
			 uint64_t number)
{
	struct set_note *s;

	HASH_FIND_STR(n->sets, key, s);
	if (!s) {
		s = xcalloc(1, sizeof(*s));
		s->key = xstrdup(key);
		HASH_ADD_KEYPTR(hh, n->sets, s->key, strlen(s->key), s);
		s->last = number - 1;
	}
	if (number != s->last + 1 && !(number > s->last && s->last <= state->forgotten_events))
		ok(false, "set %s: event %llu follows %llu", key, (unsigned long long)number,
		   (unsigned long long)s->last);
	s->last = number;
}

static bool is_set(const Armada__JobEvent *ev, const struct job_event_field_info *f)
{
	const char *at = (const char *)ev + f->at;

	if (f->type == JOB_EVENT_TEXT)
		return **(char *const *)at;
	if (f->type == JOB_EVENT_TEXTS)
		return *(const size_t *)((const char *)ev + f->count_at);
	for (size_t i = 0; i < f->size; i++)
		if (at[i])
			return true;
	return false;
}

static void check_fields(const Armada__JobEvent *ev)
{
	const struct job_event_kind *kind = job_event_kind(ev->kind);

	if (!kind || !ev->job || !ev->time_us)
		ok(false, "event %llu has kind %d, job %llu, time %lld",
		   (unsigned long long)ev->number, ev->kind, (unsigned long long)ev->job,
		   (long long)ev->time_us);
	for (int i = 0; kind && i < JOB_EVENT_FIELDS; i++) {
		const struct job_event_field_info *f = job_event_field(i);

		if (is_set(ev, f) && !(kind->fields & UINT64_C(1) << i))
			ok(false, "an event %s has the field %s", kind->name, f->name);
	}
}

static void note(struct event_notes *n, const struct state *state,
		 const struct armada_history_event *h)
{
	const char *key = arena_printf(n->arena, "%s/%s", h->queue, h->job_set);
	struct buf framed CLEANUP_BUF = {0};
	const Armada__JobEvents *one;
	struct event_note *x;

	job_event_frame(h, &framed);
	one = msg_unpack_own(&armada__job_events__descriptor, framed.data, framed.len, n->arena);
	if (!one || one->n_events != 1) {
		ok(false, "event %llu cannot be decoded", (unsigned long long)h->number);
		return;
	}
	check_number(n, state, key, h->number);
	check_fields(one->events[0]);
	buf_addf(&n->all, "%s %llu ", key, (unsigned long long)h->number);
	buf_add(&n->all, framed.data, framed.len);
	GROW(n->list, n->cap, n->count + 1);
	x = &n->list[n->count++];
	x->event = one->events[0];
	x->set = key;
}

void event_notes_add(struct event_notes *n, const struct state *state, const struct output *out)
{
	for (size_t i = 0; i < out->effect_count; i++)
		for (size_t k = 0; k < out->effects[i].event_count; k++)
			note(n, state, &out->effects[i].events[k]);
}

void event_notes_clear(struct event_notes *n)
{
	n->count = 0;
}

const char *event_notes_kinds(struct event_notes *n, uint64_t job)
{
	buf_clear(&n->text);
	buf_addstr(&n->text, "");
	for (size_t i = 0; i < n->count; i++)
		if (!job || n->list[i].event->job == job)
			buf_addf(&n->text, "%s%s", n->text.len ? " " : "",
				 job_event_kind(n->list[i].event->kind)->name);
	return (const char *)n->text.data;
}

const Armada__JobEvent *event_notes_last(struct event_notes *n, Armada__JobEventKind kind)
{
	for (size_t i = n->count; i-- > 0;)
		if (n->list[i].event->kind == kind) {
			n->set = n->list[i].set;
			return n->list[i].event;
		}
	return NULL;
}

const char *event_notes_set(const struct event_notes *n)
{
	return n->set;
}

bool event_notes_equal(const struct event_notes *a, const struct event_notes *b)
{
	return a->all.len == b->all.len &&
	       (!a->all.len || memcmp(a->all.data, b->all.data, a->all.len) == 0);
}
