/*
 * What the launcher sends to shepherds.
 *
 * A kill and a release are repeated while the shepherd's socket is full, and a step waits. A signal
 * is sent once.
 */
#pragma once

#include "armd/launcher/state.h"

void launcher_kill_task(struct launcher *l, const struct task_key *key, uint32_t cause,
			int64_t grace_ms);
void launcher_release_task(struct launcher *l, const struct task_key *key);
/* Run a step in it; given up when its shepherd is gone. */
void launcher_step_task(struct launcher *l, const struct task_key *key, const uint8_t *payload,
			size_t len);
/* wish: as in an order of ORDER_SIGNAL. */
void launcher_signal_task(struct launcher *l, const struct task_key *key, uint32_t wish);
/* Try again what found no room; of one shepherd, and all steps. */
void launcher_send_again(struct launcher *l, struct live *v);
void launcher_send_steps(struct launcher *l);
