/*
 * Counts elements by events (progress.h). A lease makes a waiting element a running one, a requeue the
 * reverse. The end of an element that had an attempt ends a running one. The expected end follows from the
 * number of ends since the watch began.
 */
#include "cmd/awatch/progress.h"

#include "util/clock.h"
#include "util/units.h"

#include <inttypes.h>
#include <time.h>

#define KIND(name) ARMADA__JOB_EVENT_KIND__JOB_EVENT_##name

static int64_t count_of(const Armada__JobEvent *ev)
{
	int64_t n = 0;

	for (size_t i = 0; i < ev->n_elements; i++)
		n += (ev->elements[i]->last - ev->elements[i]->first) /
			     (ev->elements[i]->step ? ev->elements[i]->step : 1) +
		     INT64_C(1);
	return ev->n_elements ? n : 1;
}

static int exit_code_of_event(const Armada__JobEvent *ev)
{
	if (ev->kind == KIND(SUCCEEDED))
		return 0;
	if (ev->exit_signal)
		return 128 + ev->exit_signal;
	return ev->exit_code ? ev->exit_code : 1;
}

static void note_end(struct progress *p, const Armada__JobEvent *ev)
{
	int64_t n = count_of(ev);
	int code = exit_code_of_event(ev);

	*(ev->attempt ? &p->running : &p->waiting) -= n;
	*(ev->kind == KIND(SUCCEEDED) ? &p->done : &p->failed) += n;
	if (code > p->exit_code)
		p->exit_code = code;
}

void progress_note(struct progress *p, const Armada__JobEvent *ev)
{
	switch (ev->kind) {
	case KIND(SUBMITTED):
		p->waiting += (int64_t)ev->count;
		break;
	case KIND(UPDATED):
		if (ev->from_queue[0])
			p->waiting += (int64_t)ev->count;
		else if (ev->to_queue[0])
			p->waiting -= (int64_t)ev->count;
		break;
	case KIND(LEASED):
		p->waiting--;
		p->running++;
		break;
	case KIND(REQUEUED):
		p->running--;
		p->waiting++;
		break;
	case KIND(PREEMPTED):
		if (!ev->requeues)
			note_end(p, ev);
		break;
	case KIND(SUCCEEDED):
	case KIND(FAILED):
	case KIND(CANCELLED):
		note_end(p, ev);
		break;
	default:
		break;
	}
}

void progress_set(struct progress *p, int64_t waiting, int64_t running)
{
	p->waiting = waiting;
	p->running = running;
}

bool progress_is_over(const struct progress *p)
{
	return p->waiting <= 0 && p->running <= 0;
}

/* 0: not known. */
static int64_t expected_end(const struct progress *p, int64_t now_us)
{
	int64_t left = p->waiting + p->running;
	int64_t ended = p->done + p->failed - p->begin_ended;
	int64_t took_us = clock_us(CLOCK_MONOTONIC) - p->begin_us;

	if (left <= 0 || ended <= 0 || !p->begin_us || took_us < 1000000)
		return 0;
	return now_us + (int64_t)((double)took_us / (double)ended * (double)left);
}

void progress_text(const struct progress *p, int64_t now_us, struct buf *out)
{
	int64_t end_us = expected_end(p, now_us);
	char when[48];

	buf_addf(out,
		 "%" PRId64 " waiting, %" PRId64 " running, %" PRId64 " done, %" PRId64 " failed",
		 p->waiting > 0 ? p->waiting : 0, p->running > 0 ? p->running : 0, p->done,
		 p->failed);
	if (!end_us)
		return;
	format_time(end_us, when, sizeof(when));
	buf_addf(out, ", expected end %s", when);
}
