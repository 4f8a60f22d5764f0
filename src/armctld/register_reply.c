/*
 * The reply to a node's registration. The core makes the message. A worker makes the credential with
 * the public key of orders. Later messages to the node are held until the reply is sent, so that none
 * overtakes it.
 */
#define LOG_AREA LOG_AREA_NET
#include "armctld/register_reply.h"

#include "util/log.h"
#include "util/mem.h"
#include "wire/worker.h"

#include <string.h>

/*
 * The node's launcher decodes the credential. It runs as root or, in a private cluster, as the uid of
 * armctld, so the credential is not restricted to one uid. It contains nothing secret: a public key
 * and the uid that made it.
 */
static const uint32_t anyone = UINT32_MAX;

struct register_reply {
	struct worker_task task;
	struct ctld *ctld;
	uint64_t conn;
	uint32_t request;
	uint8_t *body;
	size_t len;
	uint8_t payload[ORDER_KEY_PAYLOAD];
	char *credential;
	int rc;
	struct armada_error err;
};

static void work(struct worker_task *t)
{
	struct register_reply *i = (struct register_reply *)t;
	struct ctld *c = i->ctld;

	i->rc = c->auth->encode(c->auth_handle, i->payload, sizeof(i->payload), anyone,
				&i->credential, &i->err);
}

static void send_completed(struct register_reply *i)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	CLEANUP_BUF struct buf body = {0};
	Armada__Registered *message;
	struct err err;

	message = msg_unpack_as(&armada__registered__descriptor, i->body, i->len, arena, &err);
	if (!message) {
		log_error("cannot decode the REGISTERED of the core: %s", err.text);
		sessions_close(i->ctld->sessions, i->conn, err.text);
		return;
	}
	message->order_key_credential.data = (uint8_t *)i->credential;
	message->order_key_credential.len = strlen(i->credential);
	msg_pack(message, &body);
	sessions_release(i->ctld->sessions, i->conn, MSG_REGISTERED, i->request, body.data,
			 body.len);
}

static void done(struct worker_task *t)
{
	struct register_reply *i = (struct register_reply *)t;

	if (i->credential) {
		send_completed(i);
	} else if (i->rc < 0) {
		log_error("no credential for the order key: %s", i->err.text);
		sessions_close(i->ctld->sessions, i->conn, i->err.text);
	}
	free(i->credential);
	free(i->body);
	free(i);
}

void register_reply(struct ctld *c, const struct effect *e)
{
	struct register_reply *i = xcalloc(1, sizeof(*i));

	i->ctld = c;
	i->conn = e->conn;
	i->request = e->request;
	i->body = xmemdup(e->body, e->len);
	i->len = e->len;
	order_key_payload(&c->key, core_cluster_id(c->core), i->payload);
	sessions_hold(c->sessions, e->conn);
	i->task = (struct worker_task){.run = work, .done = done};
	workers_give(c->workers, &i->task);
}
