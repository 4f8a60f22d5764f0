#include "core/admission/named_key.h"

#include <string.h>

/* The digest of a script; a blob that does not exist counts as empty. admit_job() refuses it. */
static void add_script(const Armada__SubmitRequest *m, uint64_t blob, struct buf *sum)
{
	uint8_t hash[HASH_SIZE] = {0};

	if (blob && blob <= m->n_blobs)
		core_digest(m->blobs[blob - 1].data, m->blobs[blob - 1].len, hash);
	buf_add(sum, hash, sizeof(hash));
}

/* Scripts count by their bytes, because their numbers depend on the other blobs of the request. */
static void add_job(const Armada__SubmitRequest *m, const Armada__JobSpec *job, struct arena *arena,
		    struct buf *sum)
{
	Armada__JobSpec same = *job;
	uint8_t hash[HASH_SIZE];
	uint8_t *packed;

	add_script(m, job->script_blob, sum);
	same.groups = arena_alloc(arena, (job->n_groups + 1) * sizeof(*same.groups));
	for (size_t i = 0; i < job->n_groups; i++) {
		Armada__TaskGroup *g = arena_alloc(arena, sizeof(*g));

		*g = *job->groups[i];
		add_script(m, g->script_blob, sum);
		g->script_blob = 0;
		same.groups[i] = g;
	}
	same.script_blob = 0;
	same.env_blob = 0;
	same.n_rlimits = 0;
	same.submit_host = (char *)"";
	same.begin_us = same.deadline_us = 0;
	packed = arena_alloc(arena, armada__job_spec__get_packed_size(&same));
	core_digest(packed, armada__job_spec__pack(&same, packed), hash);
	buf_add(sum, hash, sizeof(hash));
}

void named_key_digest(const Armada__SubmitRequest *m, struct arena *arena,
		      uint8_t ret_digest[HASH_SIZE])
{
	struct buf sum CLEANUP_BUF = {0};

	for (size_t i = 0; i < m->n_jobs; i++)
		add_job(m, m->jobs[i], arena, &sum);
	core_digest(sum.data, sum.len, ret_digest);
}

int named_key_admit(const struct txn *txn, const Armada__SubmitRequest *m, struct err *err)
{
	const struct core_policy *p = txn->policy;
	uint64_t own = submit_keys_of(txn->state, txn->in->caller->uid, true);

	if (!m->key_name[0])
		return 0;
	if (!m->key.len)
		return err_set(err, -EINVAL, "a submission key with a name needs its 16 bytes");
	if (strlen(m->key_name) > KEY_NAME_LONGEST)
		return err_set(err, -EINVAL,
			       "the submission key has %zu bytes; at most %d are accepted",
			       strlen(m->key_name), KEY_NAME_LONGEST);
	if (p->max_keys_of_user && own >= (uint64_t)p->max_keys_of_user)
		return err_set(
			err, -EAGAIN,
			"%" PRIu64
			" named submission keys of this user are remembered, which is the "
			"limit (limits.submit_keys_per_user): try again when the oldest has expired "
			"(limits.submit_key)",
			own);
	if (p->max_keys && txn->state->named_key_count >= (uint64_t)p->max_keys)
		return err_set(err, -EAGAIN,
			       "%" PRIu64
			       " named submission keys are remembered, which is the limit "
			       "(limits.submit_keys): try again when the oldest has expired "
			       "(limits.submit_key)",
			       txn->state->named_key_count);
	return 0;
}

int named_key_compare(const struct txn *txn, const struct submit_key *k,
		      const Armada__SubmitRequest *m, struct err *err)
{
	uint8_t digest[HASH_SIZE];

	if (!k->named)
		return 0;
	named_key_digest(m, txn->arena, digest);
	if (memcmp(digest, k->content, sizeof(digest)) == 0)
		return 0;
	return err_set(err, -EEXIST,
		       "the submission key '%s' was used for job %" PRIu64
		       ", with another program or other "
		       "options; use another key for another job",
		       m->key_name, k->first);
}
