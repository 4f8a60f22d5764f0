/*
 * auth/munge: credentials made and checked by munged, which runs on every node of a site with one key.
 *
 * In: a payload to sign, or a credential. Out: a credential, or its payload with uid and gid of the sender.
 * Several threads must not share a munge context, so each call makes its own. The cost of a call is the round
 * trip to munged. Every error of munge is translated into a text that says what to do.
 */
#include <armada/auth.h>

#include <errno.h>
#include <munge.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct armada_option options[] = {
	{.name = "socket",
	 .type = ARMADA_OPTION_STRING,
	 .def = "",
	 .help = "Unix socket of munged. Empty: the default socket of libmunge."},
	{.name = "ttl",
	 .type = ARMADA_OPTION_DURATION,
	 .def = "300s",
	 .min = 1e6,
	 .max = 3600e6,
	 .help = "Time until a credential expires. The clocks of two hosts must not differ by more."},
};

enum { OPT_SOCKET, OPT_TTL };

struct munge_auth {
	char *socket; /* NULL: munge's default */
	int ttl_s;
};

/* The sentence and the errno value for each error of munge. */
static const struct remedy {
	munge_err_t code;
	int result;
	const char *text;
} remedies[] = {
	{EMUNGE_BAD_LENGTH, -EMSGSIZE, "the credential is longer than munged takes"},
	{EMUNGE_NO_MEMORY, -ENOMEM, "munged or this process is out of memory"},
	{EMUNGE_BAD_CRED, -EBADMSG, "the peer did not send a munge credential"},
	{EMUNGE_BAD_VERSION, -EBADMSG,
	 "the credential has a format this munged does not know: install the same munge on both hosts"},
	{EMUNGE_BAD_CIPHER, -EBADMSG,
	 "the credential uses a cipher this munged does not know: install the same munge on both hosts"},
	{EMUNGE_BAD_MAC, -EBADMSG,
	 "the credential uses a MAC this munged does not know: install the same munge on both hosts"},
	{EMUNGE_BAD_ZIP, -EBADMSG,
	 "the credential is compressed in a way this munged does not know: install the same munge on "
	 "both hosts"},
	{EMUNGE_BAD_REALM, -EPERM, "the credential is of another munge realm"},
	{EMUNGE_CRED_INVALID, -EPERM,
	 "the credential was made with another key: both hosts need the same munge key "
	 "(/etc/munge/munge.key; compare with: munge -n | ssh HOST unmunge)"},
	{EMUNGE_CRED_REPLAYED, -EPERM,
	 "the credential was used before: it was replayed, or this host decoded it twice"},
	{EMUNGE_CRED_UNAUTHORIZED, -EPERM,
	 "the credential was made for another user than the one this process runs as: "
	 "controller_user or agent_user differs between the two ends"},
};

static void report_clocks(munge_ctx_t ctx, munge_err_t code, struct armada_error *err)
{
	time_t made = 0, seen = 0;
	int ttl = 0;
	char made_text[32] = "?", seen_text[32] = "?";
	struct tm tm;

	munge_ctx_get(ctx, MUNGE_OPT_ENCODE_TIME, &made);
	munge_ctx_get(ctx, MUNGE_OPT_DECODE_TIME, &seen);
	munge_ctx_get(ctx, MUNGE_OPT_TTL, &ttl);
	if (gmtime_r(&made, &tm))
		strftime(made_text, sizeof(made_text), "%Y-%m-%d %H:%M:%S UTC", &tm);
	if (gmtime_r(&seen, &tm))
		strftime(seen_text, sizeof(seen_text), "%Y-%m-%d %H:%M:%S UTC", &tm);
	snprintf(
		err->text, sizeof(err->text),
		"munge: the clocks differ: the credential was made at %s by its host's clock and %s "
		"at %s by ours (%lld seconds %s, %d allowed): set both clocks (chrony, ntp)",
		made_text, code == EMUNGE_CRED_REWOUND ? "arrived" : "had expired", seen_text,
		llabs((long long)(seen - made)), seen < made ? "in the future" : "old", ttl);
}

static int report(const struct munge_auth *a, munge_ctx_t ctx, munge_err_t code,
		  struct armada_error *err)
{
	const char *detail = ctx ? munge_ctx_strerror(ctx) : NULL;

	detail = detail ? detail : munge_strerror(code);
	if (code == EMUNGE_CRED_EXPIRED || code == EMUNGE_CRED_REWOUND) {
		report_clocks(ctx, code, err);
		return -EPERM;
	}
	if (code == EMUNGE_SOCKET || code == EMUNGE_TIMEOUT) {
		snprintf(err->text, sizeof(err->text),
			 "munge: munged does not answer on %s (%s): is it running? "
			 "(systemctl status munge)",
			 a->socket ? a->socket : "its usual socket", detail);
		return -EAGAIN;
	}
	for (size_t i = 0; i < sizeof(remedies) / sizeof(remedies[0]); i++) {
		if (remedies[i].code == code) {
			snprintf(err->text, sizeof(err->text), "munge: %s", remedies[i].text);
			return remedies[i].result;
		}
	}
	snprintf(err->text, sizeof(err->text), "munge: %s", detail);
	return -EIO;
}

static int auth_open(void **ret_handle, const struct armada_option_value *values,
		     const struct armada_host *host, struct armada_error *err)
{
	struct munge_auth *a = calloc(1, sizeof(*a));
	const char *path = values[OPT_SOCKET].s;

	(void)host;
	if (a && path && path[0])
		a->socket = strdup(path);
	if (!a || (path && path[0] && !a->socket)) {
		free(a);
		snprintf(err->text, sizeof(err->text), "munge: out of memory");
		return -ENOMEM;
	}
	a->ttl_s = (int)(values[OPT_TTL].i / 1000000);
	*ret_handle = a;
	return 0;
}

static void auth_close(void *handle)
{
	struct munge_auth *a = handle;

	if (!a)
		return;
	free(a->socket);
	free(a);
}

/* A context for one call. for_uid (uint32_t)-1: no restriction. */
static munge_err_t context(const struct munge_auth *a, uint32_t for_uid, munge_ctx_t *ret_ctx)
{
	munge_ctx_t ctx = munge_ctx_create();
	munge_err_t e = EMUNGE_SUCCESS;

	if (!ctx)
		return EMUNGE_NO_MEMORY;
	if (a->socket)
		e = munge_ctx_set(ctx, MUNGE_OPT_SOCKET, a->socket);
	if (e == EMUNGE_SUCCESS && a->ttl_s)
		e = munge_ctx_set(ctx, MUNGE_OPT_TTL, a->ttl_s);
	if (e == EMUNGE_SUCCESS && for_uid != (uint32_t)-1)
		e = munge_ctx_set(ctx, MUNGE_OPT_UID_RESTRICTION, (uid_t)for_uid);
	*ret_ctx = ctx;
	return e;
}

static int auth_encode(void *handle, const void *payload, size_t len, uint32_t for_uid,
		       char **ret_cred, struct armada_error *err)
{
	const struct munge_auth *a = handle;
	munge_ctx_t ctx = NULL;
	munge_err_t e = context(a, for_uid, &ctx);
	char *cred = NULL;
	int rc = 0;

	if (e == EMUNGE_SUCCESS)
		e = munge_encode(&cred, ctx, payload, (int)len);
	if (e == EMUNGE_SUCCESS)
		*ret_cred = cred;
	else
		rc = report(a, ctx, e, err);
	if (ctx)
		munge_ctx_destroy(ctx);
	return rc;
}

static int auth_decode(void *handle, const char *cred, void *buf, size_t cap, size_t *ret_len,
		       uint32_t *ret_uid, uint32_t *ret_gid, struct armada_error *err)
{
	const struct munge_auth *a = handle;
	munge_ctx_t ctx = NULL;
	munge_err_t e = context(a, (uint32_t)-1, &ctx);
	void *payload = NULL;
	int len = 0, rc = 0;
	uid_t uid;
	gid_t gid;

	if (e == EMUNGE_SUCCESS)
		e = munge_decode(cred, ctx, &payload, &len, &uid, &gid);
	if (e != EMUNGE_SUCCESS) {
		rc = report(a, ctx, e, err);
	} else if (len < 0 || (size_t)len > cap) {
		snprintf(err->text, sizeof(err->text),
			 "munge: the credential carries %d bytes, at most %zu are expected", len,
			 cap);
		rc = -EMSGSIZE;
	} else {
		if (len)
			memcpy(buf, payload, (size_t)len);
		*ret_len = (size_t)len;
		*ret_uid = uid;
		*ret_gid = gid;
	}
	free(payload);
	if (ctx)
		munge_ctx_destroy(ctx);
	return rc;
}

static const struct armada_auth_ops ops = {
	.open = auth_open,
	.close = auth_close,
	.encode = auth_encode,
	.decode = auth_decode,
};

ARMADA_PLUGIN(ARMADA_PLUGIN_AUTH, "munge", "MUNGE credentials, checked by munged", options, ops);
