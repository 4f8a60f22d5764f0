/*
 * The network process: starting and stopping it, and handling its messages. Input: datagrams of the
 * pipe. Output: inputs of the ledger and answers on the pipe.
 *
 * The process is not trusted. A datagram that does not decode ends it, and a new one is started.
 * The controller is accepted only after a child has decoded a credential with the key for orders
 * (credential.c); meanwhile later messages wait in the pipe.
 */
#include "armd/launcher/network.h"

#include "armd/launcher/cpus.h"
#include "armd/launcher/effects.h"
#include "armd/launcher/health.h"
#include "armd/launcher/network_out.h"
#include "armd/launcher/shepherd_out.h"
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
	MESSAGES_PER_STEP = 64,
	QUEUED_ANSWERS_MAX = 4096,
	RESPAWN_LEAST_US = 100000,
	STOP_TIMEOUT_US = 2000000,
	STOP_LOOK_NS = 2000000,
};

void launcher_start_network(struct launcher *l)
{
	struct err err;
	int fd = -1;
	pid_t pid = l->config->start_network(l->config->start_arg, &fd, &err);

	if (pid < 0) {
		log_error("cannot start the network process: %s", err.text);
		launcher_network_died(l);
		return;
	}
	l->network = pid;
	l->network_from_us = clock_us(CLOCK_BOOTTIME);
	l->respawn_at_us = 0;
	l->pipe = pipe_new(fd, true);
	launcher_send_hello(l);
	launcher_health_send(l);
	launcher_cpus_send(l);
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
	int64_t until_us = clock_us(CLOCK_BOOTTIME) + STOP_TIMEOUT_US;

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

/* The controller has proved its key: from now on the node belongs to its cluster. */
static int take_controller(struct launcher *l, struct err *err)
{
	uint8_t before[16];
	int rc;

	memcpy(before, ledger_meta(l->ledger)->cluster_id, sizeof(before));
	rc = ledger_controller(l->ledger, l->controller.cluster_id, &l->effects, err);
	if (memcmp(before, ledger_meta(l->ledger)->cluster_id, sizeof(before)) != 0)
		l->hello_due = true;
	return rc;
}

static void begin_credential(struct launcher *l)
{
	const struct armada_auth_ops *auth = l->config->auth->ops;
	struct err err;

	if (credential_begin(&l->credential, auth, l->config->auth_handle, l->controller.credential,
			     &err) < 0)
		launcher_send_problem(l, PIPE_ABOUT_CONTROLLER, err.text);
}

static void receive_controller(struct launcher *l, const struct pipe_controller *c)
{
	struct err err;

	l->controller = *c;
	if (c->credential[0] && strcmp(c->credential, l->last_credential) != 0)
		begin_credential(l);
	else if (!l->has_key)
		launcher_send_problem(
			l, PIPE_ABOUT_CONTROLLER,
			"the controller has not sent a credential with its order key");
	else if (take_controller(l, &err) < 0)
		launcher_send_problem(l, PIPE_ABOUT_CONTROLLER, err.text);
}

void launcher_receive_credential(struct launcher *l)
{
	struct credential_key key;
	struct err err;
	int rc = credential_end(&l->credential, l->config->controller_uid, &key, &err);

	if (rc == 0 && memcmp(key.cluster_id, l->controller.cluster_id, 16) != 0)
		rc = err_set(&err, -EPERM, "the order key belongs to another cluster");
	if (rc == 0)
		rc = take_controller(l, &err);
	if (rc < 0) {
		launcher_send_problem(l, PIPE_ABOUT_CONTROLLER, err.text);
		return;
	}
	memcpy(l->public_key, key.public_key, sizeof(l->public_key));
	memcpy(l->last_credential, l->controller.credential, sizeof(l->last_credential));
	l->has_key = true;
}

static void receive_inventory(struct launcher *l, uint64_t number)
{
	ledger_inventory(l->ledger, &l->effects);
	launcher_apply_effects(l);
	launcher_send_stamp(l);
	launcher_ask_steps(l);
	launcher_send_inventory_end(l, number);
}

static void handle(struct launcher *l)
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
		receive_controller(l, &m->controller);
		break;
	case PIPE_INVENTORY:
		receive_inventory(l, m->number);
		break;
	default:
		break; /* pipe_decode rejects other types */
	}
}

/* While a credential is being decoded, later messages wait in the pipe. */
bool launcher_reads_network(const struct launcher *l)
{
	return l->pipe && l->credential.fd < 0 && pipe_waiting(l->pipe) < QUEUED_ANSWERS_MAX;
}

void launcher_receive_network(struct launcher *l)
{
	int rc = 1;

	if (l->pipe && pipe_flush(l->pipe) < 0)
		rc = -EPIPE;
	for (int i = 0; i < MESSAGES_PER_STEP && rc > 0 && launcher_reads_network(l); i++) {
		rc = pipe_receive(l->pipe, &l->in);
		if (rc > 0)
			handle(l);
	}
	if (rc == -EBADMSG)
		log_error("the network process sent an invalid message: restarting it");
	if (rc < 0)
		abandon_network(l);
}
