/*
 * Runs a launcher in a child process, and talks to it as its network process and as the
 * controller. Credentials are plain text, and orders are signed with a key of the test.
 */
#include "rig.h"

#include "armd/launcher/launcher.h"
#include "armd/pipe/body.h"
#include "armd/pipe/io.h"
#include "tap/tap.h"
#include "util/log.h"
#include "util/mem.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WAIT_US = 10000000 };

const uint8_t rig_cluster[16] = "the cluster";

/* A credential is "UID HEX": made by UID, with the payload HEX. */
static int fake_decode(void *handle, const char *cred, void *buf, size_t cap, size_t *ret_len,
		       uint32_t *ret_uid, uint32_t *ret_gid, struct armada_error *err)
{
	char *hex;

	(void)handle;
	*ret_gid = 0;
	*ret_uid = (uint32_t)strtoul(cred, &hex, 10);
	if (*hex == ' ' &&
	    sodium_hex2bin(buf, cap, hex + 1, strlen(hex + 1), NULL, ret_len, NULL) == 0)
		return 0;
	snprintf(err->text, sizeof(err->text), "this is no credential");
	return -EINVAL;
}

static pid_t start_network(void *arg, int *ret_fd, struct err *err)
{
	struct rig *r = arg;
	pid_t pid;

	if (r->networks_started == RIG_NETWORKS)
		return err_set(err, -EAGAIN, "no more networks in this test");
	*ret_fd = dup(r->launcher_ends[r->networks_started++]);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	return pid;
}

_Noreturn void rig_be_launcher(struct rig *r)
{
	static const struct armada_auth_ops auth_ops = {.decode = fake_decode};
	struct plugin auth = {.ops = &auth_ops};
	struct plugin contain = {.ops = box_contain(), .values = box_contain_values};
	char spool[300];
	char stub[400];
	struct launcher_config config = {
		.spool_dir = spool,
		.node_name = "n1",
		.controller_uid = RIG_CONTROLLER,
		.stub = stub,
		.min_uid = 1,
		.allow_root_jobs = false,
		.auth = &auth,
		.contain = &contain,
		.start_network = start_network,
		.start_arg = r,
		.respawn_max_us = 1000000,
	};

	snprintf(spool, sizeof(spool), "%s/node", r->box->dir);
	snprintf(stub, sizeof(stub), "%s/arun-io", r->box->dir);
	if (!getenv("LAUNCHER_LOG"))
		log_set_level(LOG_ERROR - 1);
	_exit(launcher_main(&config));
}

void rig_init(struct rig *r, struct box *b)
{
	memset(r, 0, sizeof(*r));
	r->box = b;
	r->epoch = 5;
	r->next_seq = 100;
	if (sodium_init() < 0)
		bail("libsodium cannot start");
	crypto_sign_keypair(r->public_key, r->secret_key);
}

bool rig_start(struct rig *r)
{
	int ends[RIG_NETWORKS][2];
	struct err err;

	for (int i = 0; i < RIG_NETWORKS; i++) {
		if (pipe_pair(ends[i], &err) < 0)
			bail("%s", err.text);
		r->launcher_ends[i] = ends[i][0];
	}
	r->launcher = fork();
	if (r->launcher == 0) {
		for (int i = 0; i < RIG_NETWORKS; i++)
			close(ends[i][1]);
		rig_be_launcher(r);
	}
	for (int i = 0; i < RIG_NETWORKS; i++)
		close(ends[i][0]);
	close(ends[1][1]);
	r->network = pipe_new(ends[0][1], false);
	if (!rig_expect(r, PIPE_HELLO))
		return false;
	memcpy(r->node_id, r->msg.hello.node_id, 16);
	snprintf(r->boot_id, sizeof(r->boot_id), "%s", r->msg.hello.boot_id);
	return true;
}

int rig_stop(struct rig *r, int sig)
{
	int status;

	kill(r->launcher, sig);
	waitpid(r->launcher, &status, 0);
	pipe_free(r->network);
	return status;
}

void rig_say(struct rig *r)
{
	if (pipe_send(r->network, &r->msg) < 0)
		bail("the launcher is gone");
}

bool rig_expect(struct rig *r, enum pipe_type type)
{
	int64_t until_us = box_now_us() + WAIT_US;

	while (box_now_us() < until_us) {
		struct pollfd p = {.fd = pipe_fd(r->network), .events = POLLIN};
		int rc = pipe_receive(r->network, &r->msg);

		if (rc < 0)
			return false;
		if (rc > 0 && r->msg.type == type)
			return true;
		pipe_flush(r->network);
		if (rc == 0)
			poll(&p, 1, pipe_waiting(r->network) ? 1 : 100);
	}
	return false;
}

const Armada__Report *rig_expect_report(struct rig *r, const Armada__TaskBody *body,
					Armada__Report__Kind kind)
{
	while (rig_expect(r, PIPE_REPORT)) {
		const struct pipe_report *p = &r->msg.report;
		Armada__Report *found = msg_unpack_as(&armada__report__descriptor, p->packed,
						      p->len, r->box->arena, NULL);

		if (found && found->kind == kind && found->key->job == body->key->job)
			return found;
	}
	return NULL;
}

void rig_controller(struct rig *r, uint32_t uid, const uint8_t id[16],
		    const uint8_t credential_id[16])
{
	uint8_t payload[64] = "armada-order-key";
	char hex[129];

	memcpy(payload + 16, credential_id, 16);
	memcpy(payload + 32, r->public_key, 32);
	memset(&r->msg, 0, sizeof(r->msg));
	r->msg.type = PIPE_CONTROLLER;
	memcpy(r->msg.controller.cluster_id, id, 16);
	snprintf(r->msg.controller.credential, PIPE_CREDENTIAL, "%u %s", uid,
		 sodium_bin2hex(hex, sizeof(hex), payload, sizeof(payload)));
	rig_say(r);
}

struct order rig_order(struct rig *r, const Armada__TaskBody *body, enum order_kind kind)
{
	struct order o = {.kind = kind,
			  .epoch = r->epoch,
			  .seq = r->next_seq++,
			  .key = box_key(body),
			  .uid = body->uid,
			  .gid = body->gid,
			  .cause = ARMADA__END_CAUSE__END_CANCELLED,
			  .grace_ms = 5000};

	memcpy(o.cluster_id, rig_cluster, 16);
	memcpy(o.node_id, r->node_id, 16);
	order_boot(r->boot_id, o.boot);
	return o;
}

struct order rig_floor(struct rig *r, uint64_t floor)
{
	struct order o = {
		.kind = ORDER_LEASE, .epoch = r->epoch, .seq = r->next_seq, .floor = floor};

	memcpy(o.cluster_id, rig_cluster, 16);
	memcpy(o.node_id, r->node_id, 16);
	order_boot(r->boot_id, o.boot);
	return o;
}

void rig_send_order(struct rig *r, const struct order *o, const struct buf *body, bool spoil,
		    bool seal)
{
	CLEANUP_CLOSE int fd = -1;

	memset(&r->msg, 0, sizeof(r->msg));
	r->msg.type = PIPE_ORDER;
	order_encode(o, r->msg.order.bytes);
	order_sign(r->msg.order.bytes, r->secret_key);
	if (spoil)
		r->msg.order.bytes[ORDER_SIZE - 1] ^= 1;
	if (body && seal) {
		fd = pipe_body_new(body->data, body->len, NULL);
	} else if (body) {
		fd = memfd_create("open", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		if (write(fd, body->data, body->len) < 0)
			bail("memfd");
	}
	r->msg.order.body_fd = fd;
	rig_say(r);
}

void rig_launch(struct rig *r, const Armada__TaskBody *body)
{
	CLEANUP_BUF struct buf packed = box_pack(body);
	struct order o = rig_order(r, body, ORDER_LAUNCH);

	order_digest(packed.data, packed.len, o.digest);
	rig_send_order(r, &o, &packed, false, true);
}
