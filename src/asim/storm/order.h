/*
 * An order on its way: its bytes, and the terms of its body that the storm needs.
 */
#pragma once

#include "asim/storm/storm.h"

/* The terms of a launch order. */
struct sim_terms {
	bool gated;       /* it must wait at the start barrier */
	int64_t stamp_us; /* the node's clock when its stamp was made */
	int64_t lease_us; /* 0: none */
};

struct sim_order {
	uint8_t bytes[ORDER_SIZE];
	struct sim_terms terms;
};

/* The terms of this order and its body. */
struct sim_terms sim_order_terms(struct storm *s, const struct order *o, const uint8_t *body,
				 size_t len);
