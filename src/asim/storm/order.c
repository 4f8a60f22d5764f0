#include "asim/storm/order.h"
#include "agent/lease.h"
#include "proto/msg.h"

struct sim_terms sim_order_terms(struct storm *s, const struct order *o, const uint8_t *body,
				 size_t len)
{
	const Armada__TaskBody *b =
		o->kind == ORDER_LAUNCH
			? msg_unpack_as(&armada__task_body__descriptor, body, len, s->arena, NULL)
			: NULL;

	return (struct sim_terms){.gated = b && b->gated,
				  .stamp_us = stamp_time_us(o->stamp),
				  .lease_us = b ? b->lease_ms * 1000 : 0};
}
