/*
 * The order key (orderkey.h). Input: the state directory and the id of the cluster. Output: the key pair.
 *
 * The file holds a magic, the cluster's id, the seed of the key, and a hash of all this. A file of an earlier
 * release has only a magic and the seed; it is written again in the present form. Nodes accept any key that
 * the controller's credential names, each time they register. So a lost or damaged key is simply replaced.
 * The key of another cluster is refused: who runs that cluster could sign orders for this one.
 */
#include "armctld/orderkey.h"
#include "util/log.h"
#include "util/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic_plain[8] = "ARMOKEY1", magic[8] = "ARMOKEY2";

enum {
	SEED = crypto_sign_SEEDBYTES,
	PLAIN_BYTES = sizeof(magic_plain) + SEED,
	AT_CLUSTER = sizeof(magic),
	AT_SEED = AT_CLUSTER + 16,
	AT_HASH = AT_SEED + SEED,
	HASH = 16,
	KEY_BYTES = AT_HASH + HASH,
};

static int sync_dir(const char *dir, struct err *err)
{
	CLEANUP_CLOSE int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || fsync(fd) < 0)
		return err_sys(err, -errno, "%s", dir);
	return 0;
}

static int write_key(const char *state_dir, const uint8_t cluster_id[16], const uint8_t seed[SEED],
		     struct err *err)
{
	CLEANUP_FREE char *path = xasprintf("%s/order.key", state_dir);
	CLEANUP_FREE char *temp = xasprintf("%s/order.key.new", state_dir);
	CLEANUP_CLOSE int fd = -1;
	uint8_t bytes[KEY_BYTES];
	ssize_t done;

	memcpy(bytes, magic, sizeof(magic));
	memcpy(bytes + AT_CLUSTER, cluster_id, 16);
	memcpy(bytes + AT_SEED, seed, SEED);
	crypto_generichash(bytes + AT_HASH, HASH, bytes, AT_HASH, NULL, 0);
	unlink(temp); /* of a write that was interrupted */
	fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_sys(err, -errno, "%s", temp);
	done = write(fd, bytes, sizeof(bytes));
	sodium_memzero(bytes, sizeof(bytes));
	if (done != sizeof(bytes) || fsync(fd) < 0)
		return err_sys(err, done < 0 || done == sizeof(bytes) ? -errno : -EIO, "%s", temp);
	if (rename(temp, path) < 0)
		return err_sys(err, -errno, "%s", path);
	return sync_dir(state_dir, err);
}

static int make_key(const char *state_dir, const uint8_t cluster_id[16], uint8_t ret_seed[SEED],
		    struct err *err)
{
	randombytes_buf(ret_seed, SEED);
	return write_key(state_dir, cluster_id, ret_seed, err);
}

int order_key_create(const char *state_dir, const uint8_t cluster_id[16], struct err *err)
{
	CLEANUP_FREE char *path = xasprintf("%s/order.key", state_dir);
	uint8_t seed[SEED];
	int rc;

	if (access(path, F_OK) == 0)
		return err_set(err, -EEXIST, "%s already exists", path);
	rc = make_key(state_dir, cluster_id, seed, err);
	sodium_memzero(seed, sizeof(seed));
	return rc;
}

static int check_file(int fd, const char *path, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_sys(err, -errno, "%s", path);
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid())
		return err_set(err, -EPERM, "%s must be a plain file of the user armctld runs as",
			       path);
	if (st.st_mode & 077)
		return err_set(
			err, -EPERM,
			"users other than its owner can read or write %s: run chmod 600, and "
			"create a new key if the file may have been read",
			path);
	return 0;
}

/* 0: a good file, in the present form or (*ret_plain) in the earlier one. -EUCLEAN: damaged. */
static int read_key(int fd, const char *path, const uint8_t cluster_id[16], uint8_t ret_seed[SEED],
		    bool *ret_plain, struct err *err)
{
	uint8_t bytes[KEY_BYTES + 1], hash[HASH];
	ssize_t n = read(fd, bytes, sizeof(bytes));
	int rc = -EUCLEAN;

	*ret_plain = n == PLAIN_BYTES && memcmp(bytes, magic_plain, sizeof(magic_plain)) == 0;
	if (n < 0)
		return err_sys(err, -errno, "%s", path);
	if (*ret_plain) {
		memcpy(ret_seed, bytes + sizeof(magic_plain), SEED);
		rc = 0;
	} else if (n == KEY_BYTES && memcmp(bytes, magic, sizeof(magic)) == 0) {
		crypto_generichash(hash, HASH, bytes, AT_HASH, NULL, 0);
		memcpy(ret_seed, bytes + AT_SEED, SEED);
		rc = memcmp(hash, bytes + AT_HASH, HASH) == 0 ? 0 : -EUCLEAN;
	}
	if (rc == 0 && !*ret_plain && memcmp(bytes + AT_CLUSTER, cluster_id, 16) != 0)
		rc = err_set(
			err, -EINVAL,
			"%s is the key of another cluster: put the right file back, or remove it "
			"(armctld then makes a new key, and nodes learn it when they register)",
			path);
	sodium_memzero(bytes, sizeof(bytes));
	return rc;
}

static int replace_key(const char *state_dir, const char *path, const uint8_t cluster_id[16],
		       uint8_t ret_seed[SEED], struct err *err)
{
	CLEANUP_FREE char *aside = xasprintf("%s/order.key.damaged", state_dir);

	if (rename(path, aside) < 0)
		return err_sys(err, -errno, "%s is damaged and cannot be set aside", path);
	log_error(
		"%s is damaged; it was set aside as %s, and a new key was made: nodes learn it when they "
		"register",
		path, aside);
	return make_key(state_dir, cluster_id, ret_seed, err);
}

static int load_seed(const char *state_dir, const uint8_t cluster_id[16], bool shared,
		     uint8_t ret_seed[SEED], struct err *err)
{
	CLEANUP_FREE char *path = xasprintf("%s/order.key", state_dir);
	CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	bool plain = false;
	int rc;

	if (fd < 0 && errno == ENOENT && shared)
		return err_set(
			err, -ENOENT,
			"%s is missing: all controllers of a cluster have the same order key: "
			"copy the file of another controller, readable only by controller_user",
			path);
	if (fd < 0 && errno == ENOENT) {
		log_warn("%s is missing; a new key was made: nodes learn it when they register",
			 path);
		return make_key(state_dir, cluster_id, ret_seed, err);
	}
	if (fd < 0)
		return err_sys(err, -errno, "%s", path);
	rc = check_file(fd, path, err);
	if (rc == 0)
		rc = read_key(fd, path, cluster_id, ret_seed, &plain, err);
	if (rc == -EUCLEAN && shared)
		return err_set(err, rc, "%s is damaged: copy the file of another controller", path);
	if (rc == -EUCLEAN)
		return replace_key(state_dir, path, cluster_id, ret_seed, err);
	if (rc == 0 && plain && write_key(state_dir, cluster_id, ret_seed, err) < 0)
		log_warn("%s has no checksum and could not be written again: %s", path, err->text);
	return rc;
}

int order_key_load(const char *state_dir, const uint8_t cluster_id[16], bool shared,
		   struct order_key *ret_key, struct err *err)
{
	uint8_t seed[SEED];
	int rc = load_seed(state_dir, cluster_id, shared, seed, err);

	if (rc == 0)
		crypto_sign_seed_keypair(ret_key->public, ret_key->secret, seed);
	sodium_memzero(seed, sizeof(seed));
	return rc;
}

void order_key_clear(struct order_key *k)
{
	sodium_memzero(k, sizeof(*k));
}

void order_key_payload(const struct order_key *k, const uint8_t cluster_id[16],
		       uint8_t ret_payload[ORDER_KEY_PAYLOAD])
{
	size_t words = sizeof(ORDER_KEY_WORDS) - 1;

	memcpy(ret_payload, ORDER_KEY_WORDS, words);
	memcpy(ret_payload + words, cluster_id, 16);
	memcpy(ret_payload + words + 16, k->public, 32);
}

/* An order is longer, so no signature of the one is one of the other. */
enum { PROVEN = sizeof("armada controller") - 1 + 32 };

static void proven(const uint8_t binding[32], uint8_t ret[PROVEN])
{
	memcpy(ret, "armada controller", PROVEN - 32);
	memcpy(ret + PROVEN - 32, binding, 32);
}

void order_key_prove(const struct order_key *k, const uint8_t binding[32],
		     uint8_t ret_proof[SESSION_PROOF])
{
	uint8_t text[PROVEN];

	proven(binding, text);
	crypto_sign_detached(ret_proof, NULL, text, sizeof(text), k->secret);
}

bool order_key_proves(const struct order_key *k, const uint8_t binding[32],
		      const uint8_t proof[SESSION_PROOF])
{
	uint8_t text[PROVEN];

	proven(binding, text);
	return crypto_sign_verify_detached(proof, text, sizeof(text), k->public) == 0;
}
