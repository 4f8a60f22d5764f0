/*
 * Submission keys that users name (asubmit --submit-key): two runs of one script submit once.
 *
 * The second request with a name gets the ids of the first one. It is refused if it asks for something else.
 * Both are compared by a digest that leaves out what differs between two runs of one script: the environment,
 * the resource limits of the shell, the host of the submission, and the begin time, which may be relative.
 */
#pragma once

#include "core/state/submit_key.h"
#include "core/txn/txn.h"

enum { KEY_NAME_LONGEST = 255 };

/* O(bytes of the request). */
void named_key_digest(const Armada__SubmitRequest *m, struct arena *arena,
		      uint8_t ret_digest[HASH_SIZE]);
/* Checks a request whose key is not known. -EAGAIN: too many names are remembered. */
int named_key_admit(const struct txn *txn, const Armada__SubmitRequest *m, struct err *err);
/*
 * Checks that a request with a known key asks for the same as the first one. Keys that were not named
 * pass.
 */
int named_key_compare(const struct txn *txn, const struct submit_key *k,
		      const Armada__SubmitRequest *m, struct err *err);
