/*
 * Orders from the launcher to shepherds.
 *
 * A kill and a release are repeated while the shepherd's socket is full, and a step waits. A signal
 * is sent once.
 */
#pragma once

#include "armd/launcher/state.h"

/* A LEDGER_KILL effect. text: for the owner of the task; it is copied; NULL: none. */
void launcher_kill_task(struct launcher *l, const struct ledger_effect *e, const char *text);
void launcher_release_task(struct launcher *l, const struct task_key *key);
/* Run a step in the task; dropped if its shepherd has ended. number: of its order. */
void launcher_step_task(struct launcher *l, const struct task_key *key, uint64_t number,
			const uint8_t *payload, size_t len);
/* All shepherds tell of their steps again. */
void launcher_ask_steps(struct launcher *l);
/* body: a packed TaskSettings. */
void launcher_settings_task(struct launcher *l, const struct task_key *key, const uint8_t *body,
			    size_t len);
/* wish: the cause of an ORDER_SIGNAL order; step: order_step_number(), 0: for the whole task. */
void launcher_signal_task(struct launcher *l, const struct task_key *key, uint32_t wish,
			  uint64_t step);
/* Send again what found the socket full: for one shepherd, and all steps. */
void launcher_send_again(struct launcher *l, struct live_task *v);
void launcher_send_steps(struct launcher *l);
