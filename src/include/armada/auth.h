/*
 * Authentication plugins: who is at the other end?
 *
 * A credential is a text that proves which user on this or another machine of the site made it,
 * and carries a payload. The session puts the hash of its transcript there, so a credential says
 * nothing outside the one session it was made for (S12).
 *
 * encode and decode may block (munge is a round trip to a daemon) and may be called from several
 * threads at once; the host keeps them off its event loop. Each returns 0 or a negative errno with
 * a sentence that names the remedy.
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
	 * Make a credential that only for_uid can decode ((uint32_t)-1: anyone). Returns a new
	 * NUL-terminated string in *ret_cred, freed with free().
	 */
	int (*encode)(void *handle, const void *payload, size_t len, uint32_t for_uid,
		      char **ret_cred, struct armada_error *err);
	/*
	 * Check a credential: the payload goes to buf (at most cap bytes, refused if longer) and
	 * the uid and gid of whoever made it to ret_uid and ret_gid. A credential is taken once.
	 */
	int (*decode)(void *handle, const char *cred, void *buf, size_t cap, size_t *ret_len,
		      uint32_t *ret_uid, uint32_t *ret_gid, struct armada_error *err);
};

#endif
