/*
 * SUBMIT: accepts all jobs of the request, or none.
 *
 * A known key means a repeated request: the answer has the ids of the first one, unless a key that the
 * user named comes with another content. If a dependency
 * names a job that has left memory, the shell looks it up in the history and the request comes
 * again. Then each job is checked and completed (core/admission), and after that the gangs and
 * quotas of the whole request. Only then events are emitted: blobs, the user's own queue, jobs.
 */
#include "core/admission/bounds.h"
#include "core/admission/dependencies.h"
#include "core/admission/gang.h"
#include "core/admission/job.h"
#include "core/admission/named_key.h"
#include "core/admission/pending_quota.h"
#include "core/admission/user_queue.h"
#include "core/lifecycle/gang_timeout.h"
#include "core/request/blob.h"
#include "core/request/request.h"
#include "core/request/trial.h"
#include "core/txn/emit.h"
#include "core/txn/reply.h"

#include <string.h>

static const struct submit_key *find_key(const struct txn *txn, const Armada__SubmitRequest *m)
{
	return m->key.len == sizeof(((const struct submit_key *)NULL)->id.key)
		       ? submit_key_find(txn->state, txn->in->caller->uid, &m->key)
		       : NULL;
}

static void reply_ids(struct txn *txn, uint64_t first, uint32_t jobs, bool duplicate)
{
	Armada__SubmitReply reply_m = ARMADA__SUBMIT_REPLY__INIT;

	reply_m.ids = arena_alloc(txn->arena, jobs * sizeof(*reply_m.ids));
	reply_m.n_ids = jobs;
	reply_m.duplicate = duplicate;
	for (uint32_t i = 0; i < jobs; i++)
		reply_m.ids[i] = first + i;
	reply(txn, MSG_SUBMIT_REPLY, &reply_m);
}

static void store_blob(struct txn *txn, const struct submission *s, uint64_t index,
		       ProtobufCBinaryData *ret_hash)
{
	*ret_hash = (ProtobufCBinaryData){0};
	if (index)
		blob_store(txn, &s->message->blobs[index - 1], s->hashes[index - 1], ret_hash);
}

static void make_user_queue(struct txn *txn, const char *name)
{
	Armada__QueueSet *m;
	Armada__Event *ev;

	if (queue_find(txn->state, name))
		return;
	ev = emit_make(txn, ARMADA__EVENT__KIND_QUEUE_SET, &m);
	m->by = (char *)name;
	m->by_uid = txn->in->caller->uid;
	m->spec = user_queue_spec(txn, name, txn->arena);
	emit_event(txn, ev);
}

/* digest: of the request, before its jobs were completed. */
static void note_key(struct txn *txn, const Armada__SubmitRequest *m, uint8_t *digest,
		     Armada__JobSubmitted *s)
{
	s->key = m->key;
	s->key_jobs = m->n_jobs;
	s->key_until_us = txn->now_us + txn->policy->submit_key_us;
	if (m->key_name[0])
		s->key_content = (ProtobufCBinaryData){HASH_SIZE, digest};
	else
		bounds_forget_keys(txn, s);
}

static void make_job(struct txn *txn, const struct submission *sub, size_t i, uint8_t *digest)
{
	const Armada__SubmitRequest *m = sub->message;
	const struct caller *who = txn->in->caller;
	Armada__JobSpec *spec = m->jobs[i];
	Armada__JobWaits *waits;
	Armada__JobSubmitted *s;
	Armada__Event *ev;

	store_blob(txn, sub, spec->script_blob, &spec->script_hash);
	store_blob(txn, sub, spec->env_blob, &spec->env_hash);
	for (size_t k = 0; k < spec->n_groups; k++) {
		store_blob(txn, sub, spec->groups[k]->script_blob, &spec->groups[k]->script_hash);
		spec->groups[k]->script_blob = 0;
	}
	spec->script_blob = 0;
	spec->env_blob = 0;
	make_user_queue(txn, spec->queue);
	dependencies_bind(spec, txn->state->next_job - i);
	waits = dependencies_now(txn, spec, NULL, who->uid);
	dependencies_strip(spec);
	ev = emit_make(txn, ARMADA__EVENT__KIND_JOB_SUBMITTED, &s);
	s->id = txn->state->next_job;
	s->spec = spec;
	s->waits = dependencies_are_met(txn, waits) ? NULL : waits;
	s->uid = who->uid;
	s->gid = who->gid;
	s->user = (char *)who->user;
	s->gids = (uint32_t *)who->gids;
	s->n_gids = who->gid_count;
	bounds_forget_sets(txn, s);
	if (i == 0 && m->key.len)
		note_key(txn, m, digest, s);
	emit_event(txn, ev);
	gang_timeout_release(txn, job_find(txn->state, s->id));
}

static int admit_all(struct txn *txn, struct submission *s, int *ret_code, struct err *err)
{
	const Armada__SubmitRequest *m = s->message;
	const struct core_policy *p = txn->policy;
	int rc;

	*ret_code = 1;
	if (!m->n_jobs)
		return err_set(err, -EINVAL, "a submission without jobs");
	if (m->n_jobs > (size_t)p->max_jobs_per_request)
		return err_set(err, -EINVAL,
			       "%zu jobs in one request; at most %" PRId64 " are accepted",
			       m->n_jobs, p->max_jobs_per_request);
	if (m->key.len && m->key.len != 16)
		return err_set(err, -EINVAL, "a submission key has 16 bytes");
	rc = named_key_admit(txn, m, err);
	if (rc == 0)
		rc = bounds_admit_jobs(txn, m->n_jobs, err);
	if (rc < 0)
		return *ret_code = rc == -EAGAIN ? EXIT_FULL : 1, rc;
	for (size_t i = 0; i < m->n_jobs; i++) {
		rc = admit_job(txn, m, i, ret_code, err);
		if (rc < 0)
			return m->n_jobs > 1 ? err_prefix(err, rc, "job %zu", i + 1) : rc;
	}
	rc = admit_gangs(txn, m, ret_code, err);
	if (rc == 0)
		rc = pending_quota_admit(txn, m, ret_code, err);
	if (rc < 0)
		return rc;
	*ret_code = EXIT_FULL;
	submission_hash(s, txn->arena);
	return bounds_admit_stored(txn, s, err);
}

void req_submit(struct txn *txn, const Armada__SubmitRequest *m)
{
	const struct submit_key *k = find_key(txn, m);
	struct submission s = {.message = m};
	uint64_t first = txn->state->next_job;
	uint8_t *digest = arena_alloc(txn->arena, HASH_SIZE); /* the record borrows it */
	struct err err;
	int code;

	if (k && named_key_compare(txn, k, m, &err) < 0) {
		reply_refuse(txn, 1, "%s", err.text);
		return;
	}
	if (k) {
		reply_ids(txn, k->first, k->jobs, true);
		return;
	}
	if (dependencies_ask_history(txn, m->jobs, m->n_jobs, m))
		return;
	if (m->key_name[0])
		named_key_digest(m, txn->arena, digest);
	if (admit_all(txn, &s, &code, &err) < 0) {
		reply_refuse(txn, code, "%s", err.text);
		return;
	}
	if (m->test_only) {
		trial_begin(txn, m);
		return;
	}
	pending_quota_charge(txn, m);
	for (size_t i = 0; i < m->n_jobs; i++)
		make_job(txn, &s, i, digest);
	reply_ids(txn, first, m->n_jobs, false);
}
