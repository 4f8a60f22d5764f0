/*
 * Checks of the bounds of what users make the controller keep (bounds.h).
 *
 * Input: the request that is handled, the sums that the state and the volatile data keep for each
 * user, and the policy. Output: 0, or a refusal. A bound of 0 in the policy means none. Caveat:
 * a bound that was lowered below what a user has already refuses only what the user adds.
 */
#include "core/admission/bounds.h"

#include "core/state/dependents.h"
#include "core/state/stored.h"
#include "core/txn/waiters.h"
#include "core/view/rights.h"
#include "util/plural.h"
#include "util/steps.h"
#include "util/units.h"

#include <errno.h>

/* The part of a bound for the whole cluster that is kept for administrators: one of this many. */
enum { ADMINISTRATORS = 50 };

/* True if this caller may not have `sum` of a bound for the whole cluster. */
static bool is_over(const struct txn *txn, int64_t bound, uint64_t sum)
{
	int64_t kept = rights_may(txn, txn->in->caller, VERB_ADMIN, NULL, NULL)
			       ? 0
			       : bound / ADMINISTRATORS;

	return bound && sum > (uint64_t)(bound - kept);
}

int bounds_admit_wait(const struct txn *txn, struct err *err)
{
	const struct core_policy *p = txn->policy;
	uint64_t own = waiters_of_conn(txn->live, txn->in->conn);
	uint64_t user = waiters_of_user(txn->live, txn->in->caller->uid);

	if (p->max_waits_of_conn && own >= (uint64_t)p->max_waits_of_conn)
		return err_set(err, -EAGAIN,
			       "this connection waits for %" PRIu64
			       " jobs already, which is the limit (limits.waits_per_connection)",
			       own);
	if (p->max_waits_of_user && user >= (uint64_t)p->max_waits_of_user)
		return err_set(err, -EAGAIN,
			       "this user waits for %" PRIu64
			       " jobs already, which is the limit (limits.waits_per_user)",
			       user);
	if (is_over(txn, p->max_waits, txn->live->waiter_count + 1))
		return err_set(err, -EAGAIN,
			       "%" PRIu64
			       " clients wait for jobs, which is the limit (limits.waits): try "
			       "again later",
			       txn->live->waiter_count);
	return 0;
}

int bounds_admit_token(const struct txn *txn, struct err *err)
{
	const struct core_policy *p = txn->policy;
	uint64_t own = tokens_of(txn->state, txn->in->caller->uid, txn->now_us);

	if (p->max_tokens_of_user && own >= (uint64_t)p->max_tokens_of_user)
		return err_set(err, -EAGAIN,
			       "this user has %" PRIu64
			       " tokens already, which is the limit (limits.tokens_per_user): "
			       "revoke one (actl token revoke)",
			       own);
	if (is_over(txn, p->max_tokens, HASH_COUNT(txn->state->tokens) + 1))
		return err_set(err, -EAGAIN,
			       "%u tokens exist, which is the limit (limits.tokens): try again "
			       "when others have expired",
			       HASH_COUNT(txn->state->tokens));
	return 0;
}

int bounds_admit_jobs(const struct txn *txn, size_t jobs, struct err *err)
{
	const struct core_policy *p = txn->policy;
	const char *name = txn->in->caller->user;
	const struct user_usage *user = name ? user_usage_find(txn->state, name) : NULL;
	uint64_t own = user ? user->jobs : 0;

	if (p->max_jobs_of_user && own + jobs > (uint64_t)p->max_jobs_of_user)
		return err_set(err, -EAGAIN,
			       "user %s has %" PRIu64 " %s; with %zu more the limit of %" PRId64
			       " would be exceeded (limits.jobs_per_user)",
			       name, own, plural(own, "job", "jobs"), jobs, p->max_jobs_of_user);
	if (is_over(txn, p->max_jobs, txn->state->job_live + jobs))
		return err_set(err, -EAGAIN,
			       "%zu %s in memory, which is the limit (limits.jobs_in_memory): try "
			       "again later",
			       txn->state->job_live,
			       plural(txn->state->job_live, "job is", "jobs are"));
	return 0;
}

static int refuse_stored(struct err *err, const char *whose, uint64_t has, uint64_t more,
			 int64_t limit, const char *key)
{
	char now[32], added[32], most[32];

	format_size((int64_t)has, now, sizeof(now));
	format_size((int64_t)more, added, sizeof(added));
	format_size(limit, most, sizeof(most));
	return err_set(err, -EAGAIN,
		       "scripts, environments and descriptions of %s have %s; with %s more the "
		       "limit of %s would be exceeded (limits.%s): try again when jobs have ended",
		       whose, now, added, most, key);
}

static int admit_bytes(const struct txn *txn, const char *name, uint64_t more, struct err *err)
{
	const struct core_policy *p = txn->policy;
	const struct user_usage *user = user_usage_find(txn->state, name);
	uint64_t own = user ? user->stored : 0;

	if (p->max_stored_of_user && own + more > (uint64_t)p->max_stored_of_user)
		return refuse_stored(err, "this user's jobs", own, more, p->max_stored_of_user,
				     "stored_per_user");
	if (is_over(txn, p->max_stored, txn->state->stored + more))
		return refuse_stored(err, "all jobs", txn->state->stored, more, p->max_stored,
				     "stored_total");
	return 0;
}

/* The bytes of the ranges and dependencies that a new job will have; stored_of_job(). */
static uint64_t own_bytes(const Armada__JobSpec *s, uint64_t pieces)
{
	uint64_t sets = s->n_dependencies > 0;

	for (size_t i = 0; i < s->n_dependencies; i++)
		sets += s->dependencies[i]->type == DEPENDENCY(AFTERCORR) ? 2 : 0;
	return (s->n_array ? pieces * sets * STORED_RANGE : 0) + s->n_dependencies * STORED_EDGE;
}

/* The bytes of the blobs of a request that jobs of the user have already. */
static uint64_t known_bytes(const struct txn *txn, const struct submission *s)
{
	const struct user_usage *user = user_usage_find(txn->state, txn->in->caller->user);
	uint64_t bytes = 0;

	for (size_t i = 0; user && i < s->message->n_blobs; i++) {
		const struct blob *b = blob_find(txn->state, s->hashes[i]);

		if (b && stored_has_blob(b, user))
			bytes += b->bytes->len;
	}
	return bytes;
}

void submission_hash(struct submission *s, struct arena *arena)
{
	const Armada__SubmitRequest *m = s->message;

	s->hashes = arena_alloc(arena, m->n_blobs * sizeof(*s->hashes));
	for (size_t i = 0; i < m->n_blobs; i++)
		core_digest(m->blobs[i].data, m->blobs[i].len, s->hashes[i]);
}

int bounds_admit_stored(const struct txn *txn, const struct submission *sub, struct err *err)
{
	const Armada__SubmitRequest *m = sub->message;
	/* The hashes of script and environment come into a specification afterwards. */
	uint64_t more = armada__submit_request__get_packed_size(m) +
			m->n_jobs * (uint64_t)(2 * (HASH_SIZE + 4));
	struct err first;

	for (size_t i = 0; i < m->n_jobs; i++) {
		const Armada__JobSpec *s = m->jobs[i];
		uint64_t pieces = 0;

		for (size_t k = 0; k < s->n_array; k++)
			pieces += steps_pieces(s->array[k]->first, s->array[k]->last,
					       s->array[k]->step);
		more += pieces * STORED_RANGE + own_bytes(s, pieces) +
			s->n_groups * (HASH_SIZE + 4);
	}
	/* What the user has already is looked up only when it may make the difference. */
	if (admit_bytes(txn, txn->in->caller->user, more, &first) == 0)
		return 0;
	return admit_bytes(txn, txn->in->caller->user, more - known_bytes(txn, sub), err);
}

int bounds_admit_update(const struct txn *txn, const struct job *j, const Armada__JobSpec *to,
			const ProtobufCBinaryData *script, bool later, struct err *err)
{
	uint64_t more = armada__job_spec__get_packed_size(to) + own_bytes(to, j->waiting.count) +
			(script->len ? script->len + HASH_SIZE + 4 : 0);
	uint64_t less = j->spec->len + (to->n_dependencies && j->depend ? stored_of_job(j) : 0);

	if (later)
		less = 0;
	return more > less ? admit_bytes(txn, j->user->name, more - less, err) : 0;
}

/* At most so many keys, or job sets, are forgotten at once, also after a limit was lowered. */
enum { FORGET_MAX = 1000 };

static uint32_t surplus(uint64_t count, int64_t limit)
{
	uint64_t over = limit && count > (uint64_t)limit ? count - (uint64_t)limit : 0;

	return over < FORGET_MAX ? (uint32_t)over : FORGET_MAX;
}

void bounds_forget_keys(const struct txn *txn, Armada__JobSubmitted *m)
{
	const struct core_policy *p = txn->policy;

	m->forget_own_keys =
		surplus(submit_keys_of(txn->state, m->uid, false) + 1, p->max_keys_of_user);
	m->forget_oldest_keys =
		surplus(txn->state->key_count + 1 - m->forget_own_keys, p->max_keys);
}

void bounds_forget_sets(const struct txn *txn, Armada__JobSubmitted *m)
{
	const struct core_policy *p = txn->policy;
	const struct queue *q = queue_find(txn->state, m->spec->queue);
	uint64_t own = job_sets_idle_of(txn->state, m->uid), all = txn->state->idle_set_count;

	if (q && job_set_find(txn->state, q, m->spec->job_set))
		return;
	m->forget_own_sets = surplus(own, p->max_sets_of_user);
	m->forget_oldest_sets = surplus(all - m->forget_own_sets, p->max_sets);
}
