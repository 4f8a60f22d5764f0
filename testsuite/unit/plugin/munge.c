/*
 * auth/munge with a munged that the test starts: credentials that are accepted, and the message
 * for each error. Skipped if munged cannot run.
 */
#include "plugin/plugin.h"
#include "tap/tap.h"
#include "unit/plugin/munged.h"
#include <armada/auth.h>

#include <errno.h>
#include <munge.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const struct armada_auth_ops *ops;

static void *opened(const struct plugin *p, const char *socket)
{
	struct armada_option_value values[2] = {{.s = socket}, {.i = 300000000}};
	struct armada_error e = {""};
	void *handle = NULL;

	(void)p;
	if (ops->open(&handle, values, &plugin_host, &e))
		bail("open: %s", e.text);
	return handle;
}

static void test_round_trip(void *h)
{
	struct armada_error e = {""};
	uint32_t uid = 0, gid = 0;
	char buf[64] = "";
	size_t len = 99;
	char *cred = NULL;

	is_int(ops->encode(h, "payload", 7, geteuid(), &cred, &e), 0, "a payload is encoded");
	is_int(ops->decode(h, cred, buf, sizeof(buf), &len, &uid, &gid, &e), 0,
	       "the credential is decoded");
	ok(len == 7 && memcmp(buf, "payload", 7) == 0, "the payload is unchanged");
	is_int(uid, geteuid(), "the uid is decoded");
	is_int(gid, getegid(), "the gid is decoded");
	is_int(ops->decode(h, cred, buf, sizeof(buf), &len, &uid, &gid, &e), -EPERM,
	       "the credential is not decoded twice");
	has_str(e.text, "used before", "the message names the reason");
	free(cred);

	is_int(ops->encode(h, NULL, 0, (uint32_t)-1, &cred, &e), 0,
	       "an empty payload for any user is encoded");
	is_int(ops->decode(h, cred, NULL, 0, &len, &uid, &gid, &e), 0,
	       "the credential of an empty payload is decoded");
	is_int((long long)len, 0, "the payload is empty");
	free(cred);

	is_int(ops->encode(h, "payload", 7, (uint32_t)-1, &cred, &e), 0,
	       "a payload is encoded for any user");
	is_int(ops->decode(h, cred, buf, 6, &len, &uid, &gid, &e), -EMSGSIZE,
	       "a payload longer than the buffer is refused");
	has_str(e.text, "carries 7 bytes, at most 6", "the message names both lengths");
	free(cred);
}

static void test_wrong(void *h)
{
	struct armada_error e = {""};
	uint32_t uid, gid;
	char buf[64];
	size_t len;
	char *cred = NULL;

	ops->encode(h, "x", 1, geteuid() + 1, &cred, &e);
	is_int(ops->decode(h, cred, buf, sizeof(buf), &len, &uid, &gid, &e), -EPERM,
	       "a credential for another uid is refused");
	has_str(e.text, "made for another user", "the message names the reason");
	free(cred);
	is_int(ops->decode(h, "MUNGE:nonsense:", buf, sizeof(buf), &len, &uid, &gid, &e), -EBADMSG,
	       "a text that is no credential is refused");
	has_str(e.text, "munge: ", "the message names munge");
	is_int(ops->decode(h, "", buf, sizeof(buf), &len, &uid, &gid, &e) < 0, 1,
	       "an empty text is refused");
}

/* A credential with a ttl of one second, two seconds later. */
static void test_expired(void *h, const char *socket)
{
	munge_ctx_t ctx = munge_ctx_create();
	struct armada_error e = {""};
	uint32_t uid, gid;
	char *cred = NULL, buf[64];
	size_t len;
	time_t made = 0;

	munge_ctx_set(ctx, MUNGE_OPT_SOCKET, socket);
	munge_ctx_set(ctx, MUNGE_OPT_TTL, 1);
	if (munge_encode(&cred, ctx, "x", 1) != EMUNGE_SUCCESS)
		bail("munge_encode");
	for (made = time(NULL); time(NULL) < made + 3;)
		usleep(50000); /* munge counts whole seconds of the wall clock: nothing to wait on */
	is_int(ops->decode(h, cred, buf, sizeof(buf), &len, &uid, &gid, &e), -EPERM,
	       "an old credential is refused");
	has_str(e.text, "the clocks differ", "the message names the clocks");
	has_str(e.text, "UTC by its host's clock", "the message has the time of the other host");
	has_str(e.text, "UTC by ours", "the message has the time of this host");
	free(cred);
	munge_ctx_destroy(ctx);
}

static void test_other_key(void *h, const struct munged *other)
{
	struct armada_error e = {""};
	void *stranger = opened(NULL, other->socket);
	uint32_t uid, gid;
	char *cred = NULL, buf[64];
	size_t len;

	ops->encode(stranger, "x", 1, (uint32_t)-1, &cred, &e);
	is_int(ops->decode(h, cred, buf, sizeof(buf), &len, &uid, &gid, &e), -EPERM,
	       "a credential of another key is refused");
	has_str(e.text, "made with another key", "the message names the key");
	free(cred);
	ops->close(stranger);
}

static void test_no_munged(void)
{
	void *h = opened(NULL, "/nowhere/munge.socket");
	struct armada_error e = {""};
	char *cred = NULL;

	is_int(ops->encode(h, "x", 1, 0, &cred, &e), -EAGAIN,
	       "without munged the error is temporary");
	has_str(e.text, "munged does not answer on /nowhere/munge.socket",
		"the message names the socket");
	has_str(e.text, "is it running?", "the message has the remedy");
	ok(!cred, "no credential is returned");
	ops->close(h);
}

int main(void)
{
	const char *build = getenv("ARMADA_BUILDDIR");
	struct munged m, other;
	struct err err = {""};
	struct plugin p;
	char dir[512];
	void *h;

	snprintf(dir, sizeof(dir), "%s/plugins.d", build ? build : ".");
	if (plugin_load(&p, dir, ARMADA_PLUGIN_AUTH, "munge", &err))
		bail("%s", err.text);
	ops = p.ops;
	is_str(p.values[0].s, "", "munge's own socket is the default");
	is_int(p.values[1].i, 300000000, "the ttl is five minutes by default");
	test_no_munged();
	if (munged_start(&m) && munged_start(&other)) {
		h = opened(&p, m.socket);
		test_round_trip(h);
		test_wrong(h);
		test_other_key(h, &other);
		test_expired(h, m.socket);
		ops->close(h);
		munged_stop(&m);
		munged_stop(&other);
	} else {
		skip("munged cannot run here");
	}
	plugin_free(&p);
	return done();
}
