/*
 * Messages from the launcher to the network process.
 *
 * While no network process lives, messages are dropped. No information is lost, because a new
 * process asks for the inventory.
 */
#pragma once

#include "armd/launcher/state.h"

void launcher_send_hello(struct launcher *l);
void launcher_send_report(struct launcher *l, const Armada__Report *report);
void launcher_send_stamp(struct launcher *l);
void launcher_send_inventory_end(struct launcher *l, uint64_t number);
void launcher_send_shutdown(struct launcher *l);
void launcher_send_health(struct launcher *l, const char *text);
void launcher_send_cpus(struct launcher *l, const char *text);
void launcher_send_problem(struct launcher *l, enum pipe_about about, const char *text);
void launcher_send_step(struct launcher *l, const struct task_key *key,
			const struct step_state *state);
/* What an output order has read, in a sealed memfd, which is borrowed. */
void launcher_send_output(struct launcher *l, uint64_t number, int fd);
/* Dropped while the network process is slow: the next figures follow. */
void launcher_send_usage(struct launcher *l, const struct task_key *key,
			 const struct task_usage *u);
