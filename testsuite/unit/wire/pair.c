/*
 * Two sessions in memory, and the auth plugin of the tests, whose credentials name uid, gid and
 * payload as text.
 */
#include "unit/wire/pair.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int fake_open(void **ret_handle, const struct armada_option_value *values,
		     const struct armada_host *host, struct armada_error *err)
{
	(void)values;
	(void)host;
	(void)err;
	*ret_handle = NULL;
	return 0;
}

static void fake_close(void *handle)
{
	(void)handle;
}

static int fake_encode(void *handle, const void *payload, size_t len, uint32_t for_uid,
		       char **ret_cred, struct armada_error *err)
{
	const struct fake_auth *a = handle;
	char *cred;
	int n;

	if (a->delay_ms)
		usleep(a->delay_ms * 1000);
	if (a->encode_fails) {
		snprintf(err->text, sizeof(err->text), "fake: encode fails");
		return a->encode_fails;
	}
	cred = malloc(128 + 2 * len);
	if (!cred)
		abort();
	n = sprintf(cred, "FAKE:%" PRIu32 ":%" PRIu32 ":%" PRIu32 ":", a->uid, a->gid, for_uid);
	for (size_t i = 0; i < len; i++)
		n += sprintf(cred + n, "%02x", ((const uint8_t *)payload)[i]);
	*ret_cred = cred;
	return 0;
}

static int fake_decode(void *handle, const char *cred, void *buf, size_t cap, size_t *ret_len,
		       uint32_t *ret_uid, uint32_t *ret_gid, struct armada_error *err)
{
	const struct fake_auth *a = handle;
	uint32_t for_uid = 0;
	unsigned byte;
	size_t len = 0;
	int at = 0;

	if (a->delay_ms)
		usleep(a->delay_ms * 1000);
	if (a->decode_fails) {
		snprintf(err->text, sizeof(err->text), "fake: decode fails");
		return a->decode_fails;
	}
	if (sscanf(cred, "FAKE:%" SCNu32 ":%" SCNu32 ":%" SCNu32 ":%n", ret_uid, ret_gid, &for_uid,
		   &at) != 3 ||
	    !at || (for_uid != a->uid && for_uid != (uint32_t)-1)) {
		snprintf(err->text, sizeof(err->text), "fake: not for uid %u", (unsigned)a->uid);
		return -EPERM;
	}
	for (; len < cap && sscanf(cred + at + 2 * len, "%2x", &byte) == 1; len++)
		((uint8_t *)buf)[len] = (uint8_t)byte;
	*ret_len = len;
	return 0;
}

const struct armada_auth_ops fake_auth_ops = {
	.open = fake_open, .close = fake_close, .encode = fake_encode, .decode = fake_decode};

struct session_policy pair_server_policy(void)
{
	return (struct session_policy){.cluster = "test",
				       .host = "head",
				       .auth = "fake",
				       .self = ROLE_SERVER,
				       .agent_uids = {901},
				       .agent_uid_count = 1};
}

struct session_policy pair_client_policy(void)
{
	return (struct session_policy){
		.host = "login", .auth = "fake", .self = ROLE_CLIENT, .server_uid = 900};
}

void pair_init(struct pair *p, const struct session_policy *server,
	       const struct session_policy *client)
{
	uint8_t seed[64];

	*p = (struct pair){.server_auth = {.uid = 900, .gid = 90},
			   .client_auth = {.uid = 1000, .gid = 100}};
	memset(seed, 1, sizeof(seed));
	p->server = session_new(server, seed);
	memset(seed, 2, sizeof(seed));
	p->client = session_new(client, seed);
}

void pair_done(struct pair *p)
{
	session_free(p->server);
	session_free(p->client);
}

void pair_carry(struct session *a, struct session *b, size_t chunk)
{
	struct buf *out = session_out(a);
	size_t at = 0;

	while (at < out->len) {
		size_t n = out->len - at < chunk ? out->len - at : chunk;

		session_feed(b, out->data + at, n);
		at += n;
	}
	buf_clear(out);
}

bool pair_work(struct session *s, struct fake_auth *auth)
{
	struct armada_error error = {""};
	struct session_work w;
	uint8_t payload[64];
	uint32_t uid, gid;
	char *cred = NULL;
	size_t len;
	int rc;

	if (!session_work(s, &w))
		return false;
	if (w.kind == SESSION_WORK_ENCODE) {
		rc = fake_encode(auth, w.payload, sizeof(w.payload), w.for_uid, &cred, &error);
		if (!rc)
			session_encoded(s, cred);
		free(cred);
	} else {
		rc = fake_decode(auth, w.credential, payload, sizeof(payload), &len, &uid, &gid,
				 &error);
		if (!rc)
			session_decoded(s, payload, len, uid, gid);
	}
	if (rc)
		session_work_failed(s, rc, error.text);
	return true;
}

void pair_run(struct pair *p)
{
	bool moved = true;

	while (moved) {
		moved = session_out(p->server)->len || session_out(p->client)->len;
		pair_carry(p->server, p->client, SIZE_MAX);
		pair_carry(p->client, p->server, SIZE_MAX);
		moved |= pair_work(p->server, &p->server_auth);
		moved |= pair_work(p->client, &p->client_auth);
	}
}
