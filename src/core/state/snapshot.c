/*
 * The durable state as records, in an order that depends only on the state.
 *
 * Input: a const state between inputs. Output: one record for the head and for each queue, node,
 * blob, job, set of dependencies, submission key, job set and token, in this order; fold_snapshot.c
 * reads them back. The hash of the state and the first contents of the scheduler's model come from
 * the same records.
 *
 * Caveats: a snapshot of a restored state must have the same bytes as the snapshot it came from. So
 * nothing here may depend on history that the snapshot does not contain, such as the order of a
 * hash table. Every durable member of a noun must be written here, or a restart loses it. Only one
 * record exists at a time: put() clears the arena after the callback.
 */
#include "core/state/snapshot.h"

#include "core/state/avoid.h"
#include "core/state/dependents.h"
#include "core/state/gang.h"
#include "core/state/share_note.h"
#include "core/state/extra.h"
#include "core/state/task_replacement.h"
#include "util/mem.h"

#include <sodium.h>
#include <string.h>

struct snap {
	const struct state *state;
	struct arena *arena;
	void (*on_record)(void *arg, const Armada__Record *record);
	void *arg;
};

static void put(struct snap *s, Armada__Event__KindCase kind, void *message)
{
	Armada__Event ev = ARMADA__EVENT__INIT;
	Armada__Event *events[1] = {&ev};
	Armada__Record r = ARMADA__RECORD__INIT;

	ev.kind_case = kind;
	ev.cluster_made = message;
	r.version = RECORD_VERSION;
	r.seq = s->state->seq;
	r.epoch = s->state->epoch;
	r.wall_us = s->state->last_wall_us;
	r.events = events;
	r.n_events = 1;
	s->on_record(s->arg, &r);
	arena_clear(s->arena);
}

static char *text_or_empty(const char *s)
{
	return (char *)(s ? s : "");
}

static void put_head(struct snap *s)
{
	Armada__SnapHead m = ARMADA__SNAP_HEAD__INIT;

	m.cluster_id.data = (uint8_t *)s->state->cluster_id;
	m.cluster_id.len = sizeof(s->state->cluster_id);
	m.cluster = text_or_empty(s->state->cluster);
	m.next_job = s->state->next_job;
	m.next_replacement = s->state->next_replacement;
	m.next_token = s->state->next_token;
	m.class_defaults = s->state->class_defaults;
	m.forgotten_events = s->state->forgotten_events;
	put(s, ARMADA__EVENT__KIND_SNAP_HEAD, &m);
}

static void put_floating(struct snap *s)
{
	for (size_t r = 0; r < resource_count(); r++) {
		Armada__FloatingSet m = ARMADA__FLOATING_SET__INIT;

		m.name = (char *)resource_name(r);
		m.total = s->state->floating_total.amount[r];
		m.configured = s->state->floating_configured.amount[r];
		m.outside = s->state->floating_outside.amount[r];
		if (m.total || m.configured || m.outside)
			put(s, ARMADA__EVENT__KIND_FLOATING_SET, &m);
	}
}

static size_t split_names(struct arena *a, const char *text, char ***ret_names)
{
	char *copy = arena_strdup(a, text), *rest = copy, *name;
	size_t count = 0;

	*ret_names = arena_alloc(a, (strlen(text) + 1) * sizeof(**ret_names));
	while (rest && *rest) {
		name = rest;
		rest = strstr(rest, ", ");
		if (rest) {
			*rest = '\0';
			rest += 2;
		}
		(*ret_names)[count++] = name;
	}
	return count;
}

static void put_copies(struct snap *s)
{
	Armada__CopiesSet m = ARMADA__COPIES_SET__INIT;

	if (!s->state->copies_version)
		return;
	m.version = s->state->copies_version;
	m.at_us = s->state->copies_us;
	m.by = s->state->copies_by;
	m.n_members = split_names(s->arena, s->state->copies_members, &m.members);
	m.n_removed = split_names(s->arena, s->state->copies_removed, &m.removed);
	put(s, ARMADA__EVENT__KIND_COPIES_SET, &m);
}

static void put_queue(struct snap *s, const struct queue *q)
{
	Armada__SnapQueue m = ARMADA__SNAP_QUEUE__INIT;

	m.spec = queue_spec(q, s->arena);
	m.created_us = q->created_us;
	m.created_by = text_or_empty(q->created_by);
	m.noted = share_note_sample(q, s->arena);
	m.noted_fairness = (char *)share_note_fairness(q);
	queue_use_give(q, s->arena, &m);
	put(s, ARMADA__EVENT__KIND_SNAP_QUEUE, &m);
}

static Armada__LeaseExtended *snap_extension(const struct node *n, struct arena *a)
{
	Armada__LeaseExtended *m = arena_alloc(a, sizeof(*m));

	armada__lease_extended__init(m);
	m->name = n->name;
	m->duration_us = n->extension_us;
	m->reason = text_or_empty(n->extension_reason);
	m->by = text_or_empty(n->extension_by);
	m->at_us = n->extended_at_us;
	return m;
}

static Armada__NodeReboot *snap_reboot(const struct node *n, struct arena *a)
{
	Armada__NodeReboot *m = arena_alloc(a, sizeof(*m));

	armada__node_reboot__init(m);
	m->name = n->name;
	m->asked = n->reboot;
	m->resume = n->resumes;
	m->reason = text_or_empty(n->reboot_reason);
	m->by = text_or_empty(n->reboot_by);
	m->was = text_or_empty(n->reboot_was);
	return m;
}

static void put_node(struct snap *s, const struct node *n)
{
	Armada__SnapNode m = ARMADA__SNAP_NODE__INIT;

	m.node = (Armada__NodeSet *)n->set;
	m.state = n->state;
	m.reason = text_or_empty(n->reason);
	m.by = text_or_empty(n->reason_by);
	m.reason_us = n->reason_us;
	m.linked = n->linked;
	if (n->extension_us)
		m.extension = snap_extension(n, s->arena);
	if (n->reboot)
		m.reboot = snap_reboot(n, s->arena);
	put(s, ARMADA__EVENT__KIND_SNAP_NODE, &m);
}

static void put_blob(struct snap *s, const struct blob *b)
{
	Armada__BlobStored m = ARMADA__BLOB_STORED__INIT;

	m.hash.data = (uint8_t *)b->hash;
	m.hash.len = HASH_SIZE;
	m.data.data = (uint8_t *)b->bytes->data;
	m.data.len = b->bytes->len;
	put(s, ARMADA__EVENT__KIND_BLOB_STORED, &m);
}

static Armada__TaskEnd *snap_end(const struct task *t, struct arena *a)
{
	Armada__TaskEnd *end = arena_alloc(a, sizeof(*end));

	armada__task_end__init(end);
	end->cause = t->cause;
	end->exit_code = t->exit_code;
	end->signal = t->exit_signal;
	end->start_us = t->start_us;
	end->end_us = t->end_us;
	end->text = text_or_empty(t->text);
	end->usage = arena_alloc(a, sizeof(*end->usage));
	armada__usage__init(end->usage);
	usage_put(&t->usage, end->usage);
	return end;
}

static Armada__SnapElement *snap_element(const struct element *e, struct arena *a)
{
	Armada__SnapElement *m = arena_alloc(a, sizeof(*m));

	armada__snap_element__init(m);
	m->index = e->index;
	m->state = e->state;
	m->attempt = e->attempt;
	m->seq = e->seq;
	m->why = e->why;
	m->text = text_or_empty(e->text);
	m->before = text_or_empty(e->before);
	m->by = text_or_empty(e->by);
	m->for_job = e->for_job;
	m->for_element = e->for_element;
	m->start_us = e->start_us;
	m->begun = e->begun;
	m->lease_pending = e->lease_pending;
	m->yields = e->yields;
	m->lease_ms = e->lease_ms;
	m->time_limit_s = e->limit_s;
	m->failures = e->failures;
	m->settings_seq = e->settings_seq;
	m->suspended = e->suspended;
	m->for_queue = text_or_empty(e->for_queue);
	m->requeued_us = e->requeued_us;
	m->restarts = e->restarts;
	m->not_before_us = e->not_before_us;
	m->extras = e->extras ? e->extras->number | REPLACEMENT_ID_BIT : 0;
	m->together = e->extras ? e->extras->first : 0;
	if (e->extras && e->extras->scaled) {
		m->scaled = extras_list(e, a);
		m->n_scaled = e->extras->count;
	}
	m->hosts_seq = e->hosts_seq;
	m->steps = e->steps;
	m->earlier = arena_alloc(a, sizeof(*m->earlier));
	armada__usage__init(m->earlier);
	usage_put(&e->earlier, m->earlier);
	m->ordered = e->job->gang && e->job->gang->begun;
	m->gang_members = e->job->gang && e->task_count ? e->job->gang->together : 0;
	m->tasks = arena_alloc(a, e->task_count * sizeof(*m->tasks));
	for (uint32_t i = 0; i < e->task_count; i++) {
		const struct task *t = &e->tasks[i];
		Armada__SnapTask *st = arena_alloc(a, sizeof(*st));

		armada__snap_task__init(st);
		st->node = t->node->name;
		st->started = t->state != TASK_LEASED;
		st->ended = t->state == TASK_ENDED;
		st->start_us = t->start_us;
		st->group = t->group;
		st->attempt = t->attempt == e->attempt ? 0 : t->attempt;
		st->seq = t->seq == e->seq ? 0 : t->seq;
		st->failures = t->failures;
		st->replacement = t->replacement ? t->replacement->id : 0;
		st->extra = t->extra;
		st->leaving = t->leaving;
		st->vacant = t->vacant;
		st->owed = t->owed;
		st->run_us = t->extra ? e->extras->slots[t->extra - 1].run_us : 0;
		if (st->ended)
			st->end = snap_end(t, a);
		m->tasks[m->n_tasks++] = st;
	}
	return m;
}

static Armada__IndexRange **withheld_of(const struct job *j, struct arena *a, size_t *ret_count)
{
	if (!j->depend)
		return NULL;
	return ranges_of(j->depend->withheld ? j->depend->withheld : &j->waiting, SIZE_MAX, a,
			 ret_count);
}

/* Written after all jobs, because a job may wait for a job with a higher id. */
static void put_waits(struct snap *s, const struct job *j)
{
	Armada__SnapWaits m = ARMADA__SNAP_WAITS__INIT;

	m.job = j->id;
	m.waits = waits_of(j, s->arena);
	m.withheld = withheld_of(j, s->arena, &m.n_withheld);
	put(s, ARMADA__EVENT__KIND_SNAP_WAITS, &m);
}

static void put_job(struct snap *s, const struct job *j)
{
	Armada__SnapJob m = ARMADA__SNAP_JOB__INIT;
	Armada__JobSubmitted sub = ARMADA__JOB_SUBMITTED__INIT;

	sub.id = j->id;
	sub.spec = (Armada__JobSpec *)spec_unpack(j->spec, s->arena);
	sub.uid = j->user->uid;
	sub.gid = j->user->gid;
	sub.user = j->user->name;
	sub.gids = j->user->gids;
	sub.n_gids = j->user->gid_count;
	m.job = &sub;
	m.submit_us = j->submit_us;
	if (j->submit_clock_us != j->submit_us)
		m.submit_clock_us = j->submit_clock_us;
	m.next_event = j->job_set->next_event;
	m.set_uid = j->job_set->uid;
	m.held = j->held;
	m.held_by = j->held_by;
	m.avoids = avoids_message(j, s->arena, &m.n_avoids);
	m.waiting = ranges_of(&j->waiting, SIZE_MAX, s->arena, &m.n_waiting);
	m.ended = job_ends(j, s->arena, &m.n_ended);
	m.exit_code = j->exit_code;
	m.exit_signal = j->exit_signal;
	m.reason = text_or_empty(j->end_reason);
	m.withheld = withheld_of(j, s->arena, &m.n_withheld);
	if (job_bad(j))
		m.bad = ranges_of(job_bad(j), SIZE_MAX, s->arena, &m.n_bad);
	m.excess = j->excess;
	m.settings_seq = j->settings_seq;
	m.limit_first_s = j->limit_first_s;
	m.eligible_us = j->eligible_us;
	if (j->next)
		m.next = (Armada__JobSpec *)spec_unpack(j->next, s->arena);
	m.elements = arena_alloc(s->arena, j->element_count * sizeof(*m.elements));
	for (size_t i = 0; i < j->element_count; i++)
		m.elements[m.n_elements++] = snap_element(j->elements[i], s->arena);
	put(s, ARMADA__EVENT__KIND_SNAP_JOB, &m);
}

static void put_key(struct snap *s, const struct submit_key *k)
{
	Armada__SnapKey m = ARMADA__SNAP_KEY__INIT;

	m.uid = k->id.uid;
	m.key.data = (uint8_t *)k->id.key;
	m.key.len = sizeof(k->id.key);
	m.first = k->first;
	m.jobs = k->jobs;
	m.until_us = k->until_us;
	if (k->named)
		m.content = (ProtobufCBinaryData){sizeof(k->content), (uint8_t *)k->content};
	put(s, ARMADA__EVENT__KIND_SNAP_KEY, &m);
}

static void put_job_set(struct snap *s, const struct job_set *set)
{
	Armada__SnapJobSet m = ARMADA__SNAP_JOB_SET__INIT;

	m.queue = set->queue->name;
	m.name = set->name;
	m.uid = set->uid;
	m.next_event = set->next_event;
	put(s, ARMADA__EVENT__KIND_SNAP_JOB_SET, &m);
}

static void put_token(struct snap *s, const struct token *t)
{
	Armada__TokenMade m = ARMADA__TOKEN_MADE__INIT;

	m.number = t->number;
	m.uid = t->uid;
	m.gid = t->gid;
	m.user = t->user;
	m.digest = (ProtobufCBinaryData){sizeof(t->digest), (uint8_t *)t->digest};
	m.verbs = t->verbs;
	m.queue = text_or_empty(t->queue);
	m.label = text_or_empty(t->label);
	m.created_us = t->created_us;
	m.expires_us = t->expires_us;
	put(s, ARMADA__EVENT__KIND_TOKEN_MADE, &m);
}

static int by_hash(const void *a, const void *b)
{
	const struct blob *const *x = a, *const *y = b;

	return memcmp((*x)->hash, (*y)->hash, HASH_SIZE);
}

/*
 * Blobs are written in the order of their hashes. The table of a live state keeps the order of
 * arrival, which a restored state cannot know.
 */
static void put_blobs(struct snap *s)
{
	size_t n = HASH_COUNT(s->state->blobs), i = 0;
	const struct blob **list CLEANUP_FREE = xcalloc(n, sizeof(*list));

	for (const struct blob *b = s->state->blobs; b; b = b->hh.next)
		list[i++] = b;
	qsort(list, n, sizeof(*list), by_hash);
	for (i = 0; i < n; i++)
		put_blob(s, list[i]);
}

static void snapshot(const struct state *state, void (*on_record)(void *, const Armada__Record *),
		     void *arg)
{
	struct arena *a CLEANUP_ARENA = arena_new(0);
	struct snap s = {state, a, on_record, arg};
	const struct job_set *set;
	const struct submit_key *k;

	put_head(&s);
	put_floating(&s);
	put_copies(&s);
	for (const struct queue *q = state->queues; q; q = q->hh.next)
		put_queue(&s, q);
	for (const struct node *n = state->nodes; n; n = n->hh.next)
		put_node(&s, n);
	put_blobs(&s);
	for (size_t i = 0; i < state->job_slots; i++) {
		if (state->jobs[i])
			put_job(&s, state->jobs[i]);
	}
	for (size_t i = 0; i < state->job_slots; i++) {
		if (state->jobs[i] && state->jobs[i]->depend)
			put_waits(&s, state->jobs[i]);
	}
	TAILQ_FOREACH (k, &state->keys_by_age, by_age)
		put_key(&s, k);
	TAILQ_FOREACH (k, &state->named_keys, by_age)
		put_key(&s, k);
	TAILQ_FOREACH (set, &state->idle_sets, by_age)
		put_job_set(&s, set);
	for (const struct token *t = state->tokens; t; t = t->hh.next)
		put_token(&s, t);
}

struct chunks {
	const struct state *state;
	void (*on_chunk)(void *arg, const void *data, size_t len);
	void (*on_shared)(void *arg, const void *data, size_t len, struct shared *tail);
	void *arg;
	struct buf packed;
};

static void pack_chunk(void *arg, const Armada__Record *record)
{
	struct chunks *k = arg;

	buf_clear(&k->packed);
	msg_pack(record, &k->packed);
	k->on_chunk(k->arg, k->packed.data, k->packed.len);
}

void state_snapshot(const struct state *state,
		    void (*on_chunk)(void *arg, const void *data, size_t len), void *arg)
{
	struct chunks k = {.on_chunk = on_chunk, .arg = arg};

	snapshot(state, pack_chunk, &k);
	buf_done(&k.packed);
}

/* The data of a blob is the last field of the last event, so the packed record ends with it. */
static void pack_shared(void *arg, const Armada__Record *record)
{
	const Armada__Event *ev = record->events[record->n_events - 1];
	struct chunks *k = arg;
	struct shared *tail = NULL;

	buf_clear(&k->packed);
	msg_pack(record, &k->packed);
	if (ev->kind_case == ARMADA__EVENT__KIND_BLOB_STORED)
		tail = blob_find(k->state, ev->blob_stored->hash.data)->bytes;
	assert(!tail ||
	       (k->packed.len > tail->len &&
		memcmp(k->packed.data + k->packed.len - tail->len, tail->data, tail->len) == 0));
	k->on_shared(k->arg, k->packed.data, k->packed.len - (tail ? tail->len : 0), tail);
}

void state_snapshot_shared(const struct state *state,
			   void (*on_chunk)(void *arg, const void *data, size_t len,
					    struct shared *tail),
			   void *arg)
{
	struct chunks k = {.state = state, .on_shared = on_chunk, .arg = arg};

	snapshot(state, pack_shared, &k);
	buf_done(&k.packed);
}

static void hash_chunk(void *arg, const void *data, size_t len)
{
	uint64_t n = len;

	crypto_generichash_update(arg, (const uint8_t *)&n, sizeof(n));
	crypto_generichash_update(arg, data, len);
}

void state_hash(const struct state *state, uint8_t ret_hash[32])
{
	crypto_generichash_state st;

	crypto_generichash_init(&st, NULL, 0, HASH_SIZE);
	state_snapshot(state, hash_chunk, &st);
	crypto_generichash_final(&st, ret_hash, HASH_SIZE);
}

void state_each_record(const struct state *state,
		       void (*on_record)(void *arg, const Armada__Record *record), void *arg)
{
	snapshot(state, on_record, arg);
}
