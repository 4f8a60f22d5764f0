/*
 * Lines of the log about events (event_log.h). Input: an event that is about to be applied, and the state
 * before it. Output: EFFECT_LOG, with the job, node, queue and user that it is about. Caveats: an event of an
 * array may concern many elements, which are one line; the shell limits the lines about the jobs of a user.
 */
#define LOG_AREA LOG_AREA_JOB
#include "core/txn/event_log.h"

#include "core/state/queue.h"
#include "core/txn/effects.h"
#include "util/mem.h"
#include "util/plural.h"
#include "util/units.h"

#include <stdio.h>
#include <string.h>

enum { NAME_SHOWN = 60, NODES_SHOWN = 4 };

struct job_name {
	char text[64];
};

/* "job 12", or "job 12_3" for an element of an array. */
static struct job_name name_of(const struct job *j, uint64_t id, uint32_t element)
{
	struct job_name name;

	if (!j || j->spec->array)
		snprintf(name.text, sizeof(name.text), "job %" PRIu64 "_%" PRIu32, id, element);
	else
		snprintf(name.text, sizeof(name.text), "job %" PRIu64, id);
	return name;
}

static const char *enum_word(const ProtobufCEnumDescriptor *d, int value, size_t prefix)
{
	const ProtobufCEnumValue *v = protobuf_c_enum_descriptor_get_value(d, value);

	return v && strlen(v->name) > prefix ? v->name + prefix : "?";
}

static const char *state_word(int state)
{
	return enum_word(&armada__job_state__descriptor, state, strlen("JOB_"));
}

static struct log_about about_job(uint64_t id, const struct job *j)
{
	return (struct log_about){
		.job = id, .queue = j ? j->spec->queue : NULL, .user = j ? j->user->name : NULL};
}

#define say(txn, level, about, ...) effect_log_about(txn, LOG_FROM, level, about, __VA_ARGS__)

static void submitted(struct txn *txn, const Armada__Event *ev)
{
	const Armada__JobSubmitted *m = ev->job_submitted;
	struct log_about about = {.job = m->id, .queue = m->spec->queue, .user = m->user};
	const Armada__JobSpec *s = m->spec;

	say(txn, LOG_INFO, &about, "job %" PRIu64 ": submitted by %s to queue %s%s%.*s%s", m->id,
	    m->user, s->queue, s->name[0] ? ", name " : "", NAME_SHOWN, s->name,
	    s->n_array ? ", an array" : "");
}

static void leased(struct txn *txn, const Armada__Event *ev)
{
	const Armada__ElementLeased *m = ev->element_leased;
	const struct job *j = job_find(txn->state, m->job);
	struct log_about about = about_job(m->job, j);

	about.node = m->n_nodes ? m->nodes[0] : NULL;
	say(txn, LOG_DEBUG, &about, "%s: gets %zu node%s, the first is %s (attempt %" PRIu32 ")%s",
	    name_of(j, m->job, m->element).text, m->n_nodes, plural((uint32_t)m->n_nodes, "", "s"),
	    m->n_nodes ? m->nodes[0] : "none", m->attempt,
	    m->lease_pending ? ", which other jobs still use" : "");
}

/* "on n1,n2 and 3 more" */
static char *nodes_text(struct txn *txn, const struct element *e)
{
	CLEANUP_BUF struct buf text = {0};
	uint32_t shown = 0;
	const struct node *last = NULL;

	for (uint32_t i = 0; i < e->task_count; i++) {
		const struct node *n = e->tasks[i].node;

		if (n == last)
			continue;
		last = n;
		if (shown++ < NODES_SHOWN)
			buf_addf(&text, "%s%s", shown > 1 ? "," : "", n->name);
	}
	if (shown > NODES_SHOWN)
		buf_addf(&text, " and %" PRIu32 " more", shown - NODES_SHOWN);
	return arena_strdup(txn->arena, text.len ? (char *)text.data : "no node");
}

static void started(struct txn *txn, const Armada__Event *ev)
{
	const Armada__TaskStarted *m = ev->task_started;
	const struct job *j = job_find(txn->state, m->key->job);
	const struct element *e = j ? element_find(j, m->key->element) : NULL;
	struct log_about about = about_job(m->key->job, j);

	if (!m->all || !e)
		return;
	about.node = e->task_count ? e->tasks[0].node->name : NULL;
	say(txn, LOG_INFO, &about, "%s: started on %s%s", name_of(j, j->id, e->index).text,
	    nodes_text(txn, e),
	    e->attempt > 1 ? arena_printf(txn->arena, " (attempt %" PRIu32 ")", e->attempt) : "");
}

static void ending(struct txn *txn, const Armada__Event *ev)
{
	const Armada__ElementEnding *m = ev->element_ending;
	const struct job *j = job_find(txn->state, m->job);
	struct log_about about = about_job(m->job, j);
	struct job_name name = name_of(j, m->job, m->element);
	const char *whom = "";

	if (m->for_job)
		whom = arena_printf(
			txn->arena, " for %s",
			name_of(job_find(txn->state, m->for_job), m->for_job, m->for_element).text);
	if (m->why == ARMADA__END_REASON__ENDING_PREEMPT)
		say(txn, LOG_INFO, &about, "%s: is preempted%s%s%s", name.text, whom,
		    m->text[0] ? ": " : "", m->text);
	else
		say(txn, LOG_INFO, &about, "%s: is being ended%s%s", name.text,
		    m->text[0] ? ": " : "", m->text);
}

static const char *elements_text(struct txn *txn, const Armada__ElementEnded *m)
{
	CLEANUP_BUF struct buf text = {0};
	size_t i;

	for (i = 0; i < m->n_elements && i < NODES_SHOWN; i++) {
		const Armada__IndexRange *r = m->elements[i];

		buf_addf(&text, "%s%" PRIu32, i ? "," : "", r->first);
		if (r->last != r->first)
			buf_addf(&text, "-%" PRIu32, r->last);
	}
	if (i < m->n_elements)
		buf_addstr(&text, ",...");
	return arena_strdup(txn->arena, text.len ? (char *)text.data : "");
}

static void ended(struct txn *txn, const Armada__Event *ev)
{
	const Armada__ElementEnded *m = ev->element_ended;
	const struct job *j = job_find(txn->state, m->job);
	struct log_about about = about_job(m->job, j);
	bool array = j && j->spec->array;
	const char *after = "";

	if (m->start_us && m->end_us > m->start_us)
		after = arena_printf(
			txn->arena, " after %s",
			duration_words((m->end_us - m->start_us) / 1000000 * 1000000).text);
	say(txn, LOG_INFO, &about, "job %" PRIu64 "%s%s: %s%s%s%s", m->job, array ? "_" : "",
	    array ? elements_text(txn, m) : "", state_word(m->state), after,
	    m->reason[0] ? ": " : "", m->reason);
}

static void requeued(struct txn *txn, const Armada__Event *ev)
{
	const Armada__ElementRequeued *m = ev->element_requeued;
	const struct job *j = job_find(txn->state, m->job);
	struct log_about about = about_job(m->job, j);

	say(txn, LOG_INFO, &about, "%s: waits again%s%s%s%s", name_of(j, m->job, m->element).text,
	    m->state ? ", its attempt was " : "", m->state ? state_word(m->state) : "",
	    m->reason[0] ? ": " : "", m->reason);
}

static void held(struct txn *txn, const Armada__Event *ev)
{
	const Armada__JobHeld *m = ev->job_held;
	const struct job *j = job_find(txn->state, m->job);
	struct log_about about = about_job(m->job, j);

	say(txn, LOG_INFO, &about, "job %" PRIu64 ": %s", m->job, m->held ? "held" : "released");
}

static void updated(struct txn *txn, const Armada__Event *ev)
{
	const Armada__JobUpdated *m = ev->job_updated;
	const struct job *j = job_find(txn->state, m->job);
	struct log_about about = about_job(m->job, j);

	if (j && j->next)
		say(txn, LOG_INFO, &about, "job %" PRIu64 ": its tasks have ended, it is changed",
		    m->job);
	else
		say(txn, LOG_INFO, &about, "job %" PRIu64 ": updated by uid %" PRIu32, m->job,
		    m->by_uid);
}

static void restarting(struct txn *txn, const Armada__Event *ev)
{
	const Armada__JobRestarting *m = ev->job_restarting;
	const struct job *j = job_find(txn->state, m->job);
	struct log_about about = about_job(m->job, j);

	say(txn, LOG_INFO, &about, "job %" PRIu64 ": restarted with changes by uid %" PRIu32,
	    m->job, m->by_uid);
}

static void suspended(struct txn *txn, const Armada__Event *ev)
{
	const Armada__ElementSuspended *m = ev->element_suspended;
	const struct job *j = job_find(txn->state, m->job);
	struct log_about about = about_job(m->job, j);

	say(txn, LOG_INFO, &about, "%s: %s by uid %" PRIu32, name_of(j, m->job, m->element).text,
	    m->suspended ? "suspended" : "resumed", m->by_uid);
}

static void unknown(struct txn *txn, const Armada__Event *ev)
{
	const Armada__ElementUnknown *m = ev->element_unknown;
	const struct job *j = job_find(txn->state, m->job);
	struct log_about about = about_job(m->job, j);

	say(txn, LOG_INFO, &about, "%s: %s%s%s", name_of(j, m->job, m->element).text,
	    m->back ? "its nodes answer again" : "UNKNOWN", m->text[0] ? ": " : "", m->text);
}

#undef LOG_AREA
#define LOG_AREA LOG_AREA_NODE

static void node_state(struct txn *txn, const Armada__Event *ev)
{
	const Armada__NodeStateSet *m = ev->node_state_set;
	struct log_about about = {.node = m->name};

	say(txn, LOG_NOTICE, &about, "node %s: %s%s%s%s%s", m->name,
	    enum_word(&armada__node_state__descriptor, m->state, strlen("NODE_")),
	    m->by[0] ? " by " : "", m->by, m->reason[0] ? ": " : "", m->reason);
}

static void node_linked(struct txn *txn, const Armada__Event *ev)
{
	const Armada__NodeLinked *m = ev->node_linked;
	struct log_about about = {.node = m->name};

	if (!m->linked)
		say(txn, LOG_INFO, &about, "node %s: its connection has ended", m->name);
}

static void node_deleted(struct txn *txn, const Armada__Event *ev)
{
	struct log_about about = {.node = ev->node_deleted->name};

	say(txn, LOG_NOTICE, &about, "node %s: deleted", about.node);
}

static void node_reboot(struct txn *txn, const Armada__Event *ev)
{
	const Armada__NodeReboot *m = ev->node_reboot;
	struct log_about about = {.node = m->name};

	if (m->asked)
		say(txn, LOG_NOTICE, &about, "node %s: is to be rebooted by %s%s%s", m->name, m->by,
		    m->reason[0] ? ": " : "", m->reason);
}

static void lease_extended(struct txn *txn, const Armada__Event *ev)
{
	const Armada__LeaseExtended *m = ev->lease_extended;
	struct log_about about = {.node = m->name};

	if (m->duration_us)
		say(txn, LOG_NOTICE, &about, "node %s: leases extended to %s by %s%s%s", m->name,
		    duration_words(m->duration_us).text, m->by, m->reason[0] ? ": " : "",
		    m->reason);
	else
		say(txn, LOG_INFO, &about, "node %s: the extension of leases is over", m->name);
}

#undef LOG_AREA
#define LOG_AREA LOG_AREA_QUEUE

static void queue_set(struct txn *txn, const Armada__Event *ev)
{
	const Armada__QueueSet *m = ev->queue_set;
	struct log_about about = {.queue = m->spec->name, .user = m->by};
	bool known = queue_find(txn->state, m->spec->name);

	say(txn, LOG_NOTICE, &about, "queue %s: %s%s%s", m->spec->name, known ? "changed" : "made",
	    m->by[0] ? " by " : "", m->by);
}

static void queue_deleted(struct txn *txn, const Armada__Event *ev)
{
	struct log_about about = {.queue = ev->queue_deleted->name};

	say(txn, LOG_NOTICE, &about, "queue %s: deleted", about.queue);
}

static void floating_set(struct txn *txn, const Armada__Event *ev)
{
	const Armada__FloatingSet *m = ev->floating_set;

	say(txn, LOG_NOTICE, NULL, "resource %s: the cluster has %" PRId64, m->name, m->total);
}

#define KIND(name) ARMADA__EVENT__KIND_##name

/* The events with a line. level: a line about jobs is made only if this level is wanted; 0: always. */
static const struct {
	Armada__Event__KindCase kind;
	int level;
	void (*line)(struct txn *txn, const Armada__Event *ev);
} lines[] = {
	{KIND(JOB_SUBMITTED), LOG_INFO, submitted},
	{KIND(ELEMENT_LEASED), LOG_DEBUG, leased},
	{KIND(TASK_STARTED), LOG_INFO, started},
	{KIND(ELEMENT_ENDING), LOG_INFO, ending},
	{KIND(ELEMENT_ENDED), LOG_INFO, ended},
	{KIND(ELEMENT_REQUEUED), LOG_INFO, requeued},
	{KIND(JOB_HELD), LOG_INFO, held},
	{KIND(JOB_UPDATED), LOG_INFO, updated},
	{KIND(JOB_RESTARTING), LOG_INFO, restarting},
	{KIND(ELEMENT_SUSPENDED), LOG_INFO, suspended},
	{KIND(ELEMENT_UNKNOWN), LOG_INFO, unknown},
	{KIND(NODE_STATE_SET), 0, node_state},
	{KIND(NODE_LINKED), 0, node_linked},
	{KIND(NODE_DELETED), 0, node_deleted},
	{KIND(NODE_REBOOT), 0, node_reboot},
	{KIND(LEASE_EXTENDED), 0, lease_extended},
	{KIND(QUEUE_SET), 0, queue_set},
	{KIND(QUEUE_DELETED), 0, queue_deleted},
	{KIND(FLOATING_SET), 0, floating_set},
};

void event_log_line(struct txn *txn, const Armada__Event *ev)
{
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		if (lines[i].kind != ev->kind_case)
			continue;
		if (!lines[i].level || (txn->in && lines[i].level <= txn->in->log_jobs))
			lines[i].line(txn, ev);
		return;
	}
}
