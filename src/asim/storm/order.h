/*
 * An order on its way: its bytes, and what matters here of its body.
 */
#pragma once

#include "asim/storm/storm.h"

/* Of an order that launches a task. */
struct sim_terms {
	bool gated;       /* it has to wait until the others are set up */
	int64_t stamp_us; /* the node's clock when its stamp was made */
	int64_t lease_us; /* 0: none */
};

struct sim_order {
	uint8_t bytes[ORDER_SIZE];
	struct sim_terms terms;
};

/* The terms of this order, with the body that came along. */
struct sim_terms sim_order_terms(struct storm *s, const struct order *o, const uint8_t *body,
				 size_t len);
