/* The network process, which is not trusted: its life, and what it says. */
#include "armd/launcher/network.h"

#include "armd/launcher/effects.h"
#include "armd/launcher/health.h"
#include "armd/launcher/network_out.h"
#include "armd/launcher/orders.h"
#include "armd/pipe/io.h"
#include "util/clock.h"
#include "util/log.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	MESSAGES_A_TURN = 64,
	ANSWERS_WAIT_MAX = 4096,
	RESPAWN_LEAST_US = 100000,
	STOP_PATIENCE_US = 2000000,
	STOP_LOOK_NS = 2000000,
};

void launcher_start_network(struct launcher *l)
{
	struct err err;
	int fd = -1;
	pid_t pid = l->config->start_network(l->config->start_arg, &fd, &err);

	if (pid < 0) {
		log_error("the network process cannot be started: %s", err.text);
		launcher_network_died(l);
		return;
	}
	l->network = pid;
	l->network_from_us = clock_us(CLOCK_BOOTTIME);
	l->respawn_at_us = 0;
	l->pipe = pipe_new(fd, true);
	launcher_send_hello(l);
	launcher_health_send(l);
	if (l->shutting_down)
		launcher_send_shutdown(l);
}

static void set_pause(struct launcher *l)
{
	int64_t lived_us = clock_us(CLOCK_BOOTTIME) - l->network_from_us;

	if (lived_us > l->config->respawn_max_us)
		l->respawn_pause_us = 0;
	l->respawn_at_us = clock_us(CLOCK_BOOTTIME) + l->respawn_pause_us;
	l->respawn_pause_us =
		l->respawn_pause_us ? 2 * l->respawn_pause_us : (int64_t)RESPAWN_LEAST_US;
	if (l->respawn_pause_us > l->config->respawn_max_us)
		l->respawn_pause_us = l->config->respawn_max_us;
}

void launcher_network_died(struct launcher *l)
{
	pipe_free(l->pipe);
	l->pipe = NULL;
	l->network = 0;
	set_pause(l);
}

static void abandon_network(struct launcher *l)
{
	pipe_free(l->pipe);
	l->pipe = NULL;
	if (l->network > 0)
		kill(l->network, SIGKILL);
}

void launcher_stop_network(struct launcher *l)
{
	const struct timespec pause = {.tv_nsec = STOP_LOOK_NS};
	int64_t until_us = clock_us(CLOCK_BOOTTIME) + STOP_PATIENCE_US;

	if (l->network <= 0)
		return;
	kill(l->network, SIGTERM);
	while (waitpid(l->network, NULL, WNOHANG) == 0) {
		if (clock_us(CLOCK_BOOTTIME) > until_us)
			kill(l->network, SIGKILL);
		nanosleep(&pause, NULL);
	}
	l->network = 0;
}

/* The controller is who it said it is. */
static void take_controller(struct launcher *l)
{
	struct ledger_meta before = *ledger_meta(l->ledger);
	const struct pipe_controller *c = &l->controller;
	const struct ledger_meta *now;
	struct err err;

	if (ledger_controller(l->ledger, c->cluster_id, c->epoch, c->floor, &l->effects, &err) <
	    0) {
		launcher_send_problem(l, PIPE_ABOUT_CONTROLLER, err.text);
		return;
	}
	now = ledger_meta(l->ledger);
	if (before.epoch != now->epoch || memcmp(before.cluster_id, now->cluster_id, 16) != 0)
		l->hello_due = true;
}

static void begin_credential(struct launcher *l)
{
	const struct armada_auth_ops *auth = l->config->auth->ops;
	struct err err;

	if (credential_begin(&l->credential, auth, l->config->auth_handle, l->controller.credential,
			     &err) < 0)
		launcher_send_problem(l, PIPE_ABOUT_CONTROLLER, err.text);
}

static void hear_controller(struct launcher *l, const struct pipe_controller *c)
{
	l->controller = *c;
	if (c->credential[0] && strcmp(c->credential, l->known_credential) != 0)
		begin_credential(l);
	else if (l->has_key)
		take_controller(l);
	else
		launcher_send_problem(l, PIPE_ABOUT_CONTROLLER,
				      "the controller has not proved the key of its orders");
}

void launcher_hear_credential(struct launcher *l)
{
	struct credential_key key;
	struct err err;
	int rc = credential_end(&l->credential, l->config->controller_uid, &key, &err);

	if (rc == 0 && memcmp(key.cluster_id, l->controller.cluster_id, 16) != 0)
		rc = err_set(&err, -EPERM, "the key of orders is of another cluster");
	if (rc < 0) {
		launcher_send_problem(l, PIPE_ABOUT_CONTROLLER, err.text);
		return;
	}
	memcpy(l->public_key, key.public_key, sizeof(l->public_key));
	memcpy(l->known_credential, l->controller.credential, sizeof(l->known_credential));
	l->has_key = true;
	take_controller(l);
}

static void hear_inventory(struct launcher *l, uint64_t number)
{
	ledger_inventory(l->ledger, &l->effects);
	launcher_carry_out(l);
	launcher_send_stamp(l);
	launcher_send_inventory_end(l, number);
}

static void hear(struct launcher *l)
{
	struct pipe_msg *m = &l->in;

	switch (m->type) {
	case PIPE_ORDER:
		launcher_take_order(l, &m->order);
		break;
	case PIPE_ACKED:
		for (uint32_t i = 0; i < m->acked.count; i++)
			ledger_acked(l->ledger, &m->acked.keys[i], &l->effects);
		break;
	case PIPE_CONTROLLER:
		hear_controller(l, &m->controller);
		break;
	case PIPE_INVENTORY:
		hear_inventory(l, m->number);
		break;
	default:
		break; /* pipe_decode lets none pass */
	}
}

/* While a credential is looked at, what comes after it waits in the pipe. */
bool launcher_hears_network(const struct launcher *l)
{
	return l->pipe && l->credential.fd < 0 && pipe_waiting(l->pipe) < ANSWERS_WAIT_MAX;
}

void launcher_hear_network(struct launcher *l)
{
	int rc = 1;

	if (l->pipe && pipe_flush(l->pipe) < 0)
		rc = -EPIPE;
	for (int i = 0; i < MESSAGES_A_TURN && rc > 0 && launcher_hears_network(l); i++) {
		rc = pipe_receive(l->pipe, &l->in);
		if (rc > 0)
			hear(l);
	}
	if (rc == -EBADMSG)
		log_error("the network process said what it may not say: it is started anew");
	if (rc < 0)
		abandon_network(l);
}
