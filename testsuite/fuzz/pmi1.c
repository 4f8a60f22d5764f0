/*
 * Input: what the client of a rank sends, and after the first 0xff byte what a fence returns. The first byte
 * is the size of the pieces in which the client's bytes arrive. The machine must keep its bounds, have one
 * abort at most, with a reason, and say nothing after it.
 */
#include "mpi/pmi1/machine.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct run {
	struct pmi1 *p;
	const char *fence;
	size_t fence_len;
	int aborts;
};

static void react(struct run *r, enum pmi1_effect effect)
{
	size_t len;

	if (effect == PMI1_END && (r->aborts++ || !*pmi1_reason(r->p) || pmi1_code(r->p) < 1 ||
				   pmi1_state(r->p) != PMI1_OVER))
		abort();
	if (effect != PMI1_FENCE)
		return;
	pmi1_fence_data(r->p, &len);
	if (len > ARMADA_MPI_FENCE_MAX || pmi1_state(r->p) != PMI1_FENCING)
		abort();
	react(r, pmi1_fenced(r->p, r->fence, r->fence_len));
}

static void drain(struct run *r)
{
	enum pmi1_effect effect;
	size_t len;

	do {
		effect = pmi1_step(r->p);
		react(r, effect);
		pmi1_out(r->p, &len);
		if (len > PMI1_OUT_MAX + 4 * PMI1_LINE_MAX)
			abort();
		pmi1_sent(r->p, len);
	} while (effect != PMI1_NONE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct armada_mpi_block block = {0, 2, 1};
	const struct armada_mpi_rank rank = {1, 2, "armada-1", &block, 1};
	struct run r = {.p = pmi1_new(&rank), .fence = "k\0v", .fence_len = 4};
	const uint8_t *end = size ? memchr(data, 0xff, size) : NULL;
	size_t len = end ? (size_t)(end - data) : size, piece = len && data[0] ? data[0] : 1, out;

	if (end) {
		r.fence = (const char *)end + 1;
		r.fence_len = size - len - 1;
	}
	for (size_t at = 1; at < len; at += piece) {
		pmi1_feed(r.p, (const char *)data + at, len - at < piece ? len - at : piece);
		drain(&r);
	}
	pmi1_out(r.p, &out);
	if (out)
		abort();
	pmi1_free(r.p);
	return 0;
}
