/*
 * Mails about jobs (notify_mail.h). Input: the detail of an ended array, or the row of an element that has
 * ended, waits again or begins.
 * Output: an address, a subject as Slurm's, and a text; or that no mail is wanted. Texts are escaped.
 */
#include "armctld/notify_mail.h"

#include "armctld/notify_json.h"
#include "proto/mail.h"
#include "util/mem.h"
#include "util/units.h"
#include "util/visible.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

/* Is a mail about this end wanted? Slurm's FAIL is any end but COMPLETED and CANCELLED. */
static bool is_wanted(uint32_t types, int state)
{
	bool failed = state != ARMADA__JOB_STATE__JOB_COMPLETED &&
		      state != ARMADA__JOB_STATE__JOB_CANCELLED;

	return (types & MAIL_END) || ((types & MAIL_FAIL) && failed) ||
	       ((types & MAIL_TIME_LIMIT) && state == ARMADA__JOB_STATE__JOB_TIMEOUT);
}

static bool is_start(const Armada__JobRow *r)
{
	return r->state == ARMADA__JOB_STATE__JOB_RUNNING;
}

/* The word of the mail about this row; NULL: the job wants no mail about it. */
static const char *event_of(const Armada__JobRow *r)
{
	if (is_start(r))
		return r->mail_types & MAIL_BEGIN ? "began" : NULL;
	if (r->requeued)
		return r->mail_types & MAIL_REQUEUE ? "requeued" : NULL;
	return is_wanted(r->mail_types, (int)r->state) ? "ended" : NULL;
}

static void add_time(struct buf *out, const char *label, int64_t us)
{
	time_t seconds = us / 1000000;
	char text[40];
	struct tm tm;

	if (!us)
		return;
	localtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm);
	buf_addf(out, "%s %s\n", label, text);
}

static void add_line(struct buf *out, const char *label, const char *text)
{
	if (!*text)
		return;
	buf_addf(out, "%s ", label);
	visible_add(out, text, false);
	buf_addc(out, '\n');
}

static char *take(struct arena *a, struct buf *b)
{
	char *text = arena_strdup(a, b->len ? (char *)b->data : "");

	buf_done(b);
	return text;
}

/* The worst state of the ended elements: the last in the order of their numbers that occurs. */
static int worst_state(const Armada__ShowJobReply *m)
{
	int worst = ARMADA__JOB_STATE__JOB_COMPLETED;

	for (size_t i = 0; i < m->n_ended; i++)
		if (m->ended[i]->count && (int)m->ended[i]->state > worst)
			worst = (int)m->ended[i]->state;
	return worst;
}

bool notify_mail_job(const struct armada_history_place *place, const void *data, size_t len,
		     struct arena *a, struct armada_notify_end *ret_end)
{
	Armada__ShowJobReply *m = msg_unpack_own(&armada__show_job_reply__descriptor, data, len, a);
	const Armada__JobSpec *s = m ? m->spec : NULL;
	struct buf subject = {0}, text = {0};
	int state = m ? worst_state(m) : 0;

	if (!s || !s->n_array || !s->mail_user[0] || (s->mail_types & MAIL_ARRAY_TASKS) ||
	    !is_wanted(s->mail_types, state))
		return false;
	buf_addf(&subject, "Armada job %" PRIu64 " ", place->job);
	visible_add(&subject, s->name, false);
	buf_addf(&subject, " ended: %s", notify_state_word(state));
	buf_addf(&text, "Job:       %" PRIu64 "\n", place->job);
	add_line(&text, "Name:     ", s->name);
	add_line(&text, "Queue:    ", s->queue);
	add_line(&text, "User:     ", m->user);
	add_time(&text, "Submitted:", m->submit_us);
	for (size_t i = 0; i < m->n_ended; i++)
		if (m->ended[i]->count)
			buf_addf(&text, "Ended:     %" PRIu64 " %s\n", m->ended[i]->count,
				 notify_state_word((int)m->ended[i]->state));
	ret_end->to = s->mail_user;
	ret_end->subject = take(a, &subject);
	ret_end->text = take(a, &text);
	ret_end->json = "{}";
	ret_end->json_len = strlen(ret_end->json);
	return true;
}

/* "812", "812_3", "812_3-7" */
static void add_id(struct buf *out, const char *before, const Armada__JobRow *r)
{
	buf_addf(out, "%s%" PRIu64, before, r->job);
	if (!r->is_array || !r->n_elements || (is_start(r) && !r->attempt))
		return;
	buf_addf(out, "_%" PRIu32, r->elements[0]->first);
	if (r->elements[0]->last != r->elements[0]->first)
		buf_addf(out, "-%" PRIu32, r->elements[0]->last);
}

bool notify_mail_element(const struct armada_history_place *place, const void *data, size_t len,
			 struct arena *a, struct armada_notify_end *ret_end)
{
	Armada__JobRow *r = msg_unpack_own(&armada__job_row__descriptor, data, len, a);
	const char *event = r && r->mail_user[0] ? event_of(r) : NULL;
	struct buf subject = {0}, text = {0};

	(void)place;
	if (!event)
		return false;
	add_id(&subject, "Armada job ", r);
	buf_addc(&subject, ' ');
	visible_add(&subject, r->name, false);
	buf_addf(&subject, " %s", event);
	if (!is_start(r))
		buf_addf(&subject, ": %s", notify_state_word((int)r->state));
	add_id(&text, "Job:       ", r);
	buf_addc(&text, '\n');
	add_line(&text, "Name:     ", r->name);
	add_line(&text, "Queue:    ", r->queue);
	add_line(&text, "User:     ", r->user);
	add_time(&text, "Started:  ", r->start_us);
	add_time(&text, "Ended:    ", r->end_us);
	if (!is_start(r))
		buf_addf(&text, "State:     %s, exit code %" PRId32 "\n",
			 notify_state_word((int)r->state), r->exit_code);
	add_line(&text, "Reason:   ", r->reason);
	ret_end->to = r->mail_user;
	ret_end->subject = take(a, &subject);
	ret_end->text = take(a, &text);
	ret_end->json = "{}";
	ret_end->json_len = strlen(ret_end->json);
	return true;
}
