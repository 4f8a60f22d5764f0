/*
 * All notify targets of armada.conf, and mail.
 */
#pragma once

#include "core/core.h"
#include <armada/state.h>

struct conf;
struct ctld;
struct notify;

/*
 * Start the targets. A target that cannot be started is logged; the controller works without it. seq: of the
 * last record. NULL: there are none.
 */
struct notify *notify_new(const struct conf *conf, const struct armada_state_ops *state,
			  void *handle, uint64_t seq);
void notify_free(struct notify *n);
/* The ends that wait for the target with the most. NULL: 0. */
uint64_t notify_behind(const struct notify *n);
/* EFFECT_NOTIFY: the targets and their positions. */
void notify_query(struct ctld *c, const struct effect *e);
