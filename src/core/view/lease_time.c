#include "core/view/lease_time.h"

/* Clocks that NTP steers differ by at most 1/1000. The margin is twice that. */
enum { DRIFT = 500 };

int64_t lease_ms_of(const struct txn *txn, const struct job *j)
{
	if (j->spec->no_fence)
		return LEASE_NONE;
	if (j->spec->lease_s)
		return j->spec->lease_s * 1000;
	return j->queue->spec->lease_s ? j->queue->spec->lease_s * 1000
				       : txn->policy->lease_us / 1000;
}

int64_t element_lease_us(const struct txn *txn, const struct element *e)
{
	if (e->lease_ms == LEASE_NONE)
		return 0;
	return e->lease_ms ? e->lease_ms * 1000 : txn->policy->lease_us;
}

int64_t lease_extension_over_us(const struct txn *txn, const struct node *n)
{
	return n->extension_us ? live_node(txn->live, n)->extended_from_us + n->extension_us : 0;
}

int64_t lease_margin_us(const struct txn *txn, int64_t counted_us)
{
	return txn->policy->lease_margin_us + counted_us / DRIFT;
}

int64_t lease_over_us(const struct txn *txn, const struct node *n, const struct element *e)
{
	int64_t lease_us = element_lease_us(txn, e),
		over_us = live_node(txn->live, n)->heard_us + lease_us;
	int64_t extended_us = lease_extension_over_us(txn, n);

	if (!lease_us)
		return 0;
	if (extended_us > over_us)
		over_us = extended_us;
	return over_us +
	       lease_margin_us(txn, lease_us > n->extension_us ? lease_us : n->extension_us);
}

int64_t node_extension_ms(const struct txn *txn, const struct node *n)
{
	int64_t left_us = lease_extension_over_us(txn, n) - txn->in->steady_us;

	return left_us > 0 ? left_us / 1000 : 0;
}
