/*
 * Authentication plugins: identify the user at the other end of a session.
 *
 * A credential is a text that contains a payload and proves which user of the site made it. The
 * session uses the hash of its transcript as payload, so a credential is valid only in the session
 * for which it was made.
 *
 * encode and decode may block (munge asks a daemon), and several threads may call them at once; the
 * host does not call them on its event loop. Each returns 0, or a negative errno with a sentence
 * that names the remedy.
 */
#ifndef ARMADA_AUTH_H
#define ARMADA_AUTH_H

#include <armada/plugin.h>

struct armada_auth_ops {
	/* values: one for each row of the option table. */
	int (*open)(void **ret_handle, const struct armada_option_value *values,
		    const struct armada_host *host, struct armada_error *err);
	void (*close)(void *handle);
	/*
	 * Makes a credential that only for_uid can decode ((uint32_t)-1: any user). Returns a new
	 * NUL-terminated string in *ret_cred, freed with free().
	 */
	int (*encode)(void *handle, const void *payload, size_t len, uint32_t for_uid,
		      char **ret_cred, struct armada_error *err);
	/*
	 * Checks a credential. buf gets the payload (longer than cap: refused), ret_uid and ret_gid
	 * the user who made it. Each credential is accepted once.
	 */
	int (*decode)(void *handle, const char *cred, void *buf, size_t cap, size_t *ret_len,
		      uint32_t *ret_uid, uint32_t *ret_gid, struct armada_error *err);
};

#endif
