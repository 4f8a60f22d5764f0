/*
 * Loads the auth plugin that the configuration names, at the first credential (lazy_auth.h). Input:
 * payloads and credentials. Output: those of the plugin, or why it could not be loaded. Caveat: a
 * plugin that cannot be loaded is tried again with the next credential.
 */
#include "client/lazy_auth.h"

#include "plugin/plugin.h"
#include "util/mem.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct lazy_auth {
	struct conf *conf;
	pthread_mutex_t lock; /* of the loading */
	struct plugin plugin;
	const struct armada_auth_ops *ops; /* NULL: not loaded */
	void *handle;
};

struct lazy_auth *lazy_auth_new(struct conf *conf)
{
	struct lazy_auth *a = xcalloc(1, sizeof(*a));

	a->conf = conf;
	pthread_mutex_init(&a->lock, NULL);
	return a;
}

void lazy_auth_free(struct lazy_auth *a)
{
	if (!a)
		return;
	if (a->ops)
		a->ops->close(a->handle);
	if (a->plugin.desc)
		plugin_free(&a->plugin);
	pthread_mutex_destroy(&a->lock);
	free(a);
}

static int load(struct lazy_auth *a, struct err *err)
{
	int rc = plugin_load_chosen(&a->plugin, a->conf, ARMADA_PLUGIN_AUTH, err);

	if (rc >= 0)
		rc = plugin_open_auth(&a->plugin, &a->handle, err);
	if (rc >= 0)
		a->ops = a->plugin.ops;
	else if (a->plugin.desc)
		plugin_free(&a->plugin);
	return rc < 0 ? rc : 0;
}

/* The plugin is there when this returns 0. A defect of the installation is no reason to try again: -EIO. */
static int need(struct lazy_auth *a, struct armada_error *ret_error)
{
	struct err err = {""};
	int rc = 0;

	pthread_mutex_lock(&a->lock);
	if (!a->ops)
		rc = load(a, &err);
	pthread_mutex_unlock(&a->lock);
	if (rc)
		snprintf(ret_error->text, sizeof(ret_error->text), "%s", err.text);
	return rc ? -EIO : 0;
}

static int lazy_encode(void *handle, const void *payload, size_t len, uint32_t for_uid,
		       char **ret_cred, struct armada_error *err)
{
	struct lazy_auth *a = handle;
	int rc = need(a, err);

	return rc ? rc : a->ops->encode(a->handle, payload, len, for_uid, ret_cred, err);
}

static int lazy_decode(void *handle, const char *cred, void *buf, size_t cap, size_t *ret_len,
		       uint32_t *ret_uid, uint32_t *ret_gid, struct armada_error *err)
{
	struct lazy_auth *a = handle;
	int rc = need(a, err);

	return rc ? rc : a->ops->decode(a->handle, cred, buf, cap, ret_len, ret_uid, ret_gid, err);
}

const struct armada_auth_ops lazy_auth_ops = {.encode = lazy_encode, .decode = lazy_decode};
