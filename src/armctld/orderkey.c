#include "armctld/orderkey.h"
#include "util/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char file_magic[8] = "ARMOKEY1";
enum { FILE_SIZE = sizeof(file_magic) + crypto_sign_SEEDBYTES };

static int sync_dir(const char *dir, struct err *err)
{
	CLEANUP_CLOSE int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || fsync(fd) < 0)
		return err_sys(err, -errno, "%s", dir);
	return 0;
}

int order_key_create(const char *state_dir, struct err *err)
{
	CLEANUP_FREE char *path = xasprintf("%s/order.key", state_dir);
	CLEANUP_FREE char *temp = xasprintf("%s/order.key.new", state_dir);
	CLEANUP_CLOSE int fd = -1;
	uint8_t bytes[FILE_SIZE];
	ssize_t done;

	if (access(path, F_OK) == 0)
		return err_set(err, -EEXIST, "%s already exists", path);
	memcpy(bytes, file_magic, sizeof(file_magic));
	randombytes_buf(bytes + sizeof(file_magic), crypto_sign_SEEDBYTES);
	unlink(temp); /* of an --init that was interrupted */
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

int order_key_load(const char *state_dir, struct order_key *ret_key, struct err *err)
{
	CLEANUP_FREE char *path = xasprintf("%s/order.key", state_dir);
	CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	uint8_t bytes[FILE_SIZE + 1];
	ssize_t n;
	int rc;

	if (fd < 0)
		return err_sys(err, -errno, "%s (armctld --init creates it)", path);
	rc = check_file(fd, path, err);
	if (rc < 0)
		return rc;
	n = read(fd, bytes, sizeof(bytes));
	if (n != FILE_SIZE || memcmp(bytes, file_magic, sizeof(file_magic)) != 0)
		return err_set(err, -EINVAL, "%s is not an order key of armctld", path);
	crypto_sign_seed_keypair(ret_key->public, ret_key->secret, bytes + sizeof(file_magic));
	sodium_memzero(bytes, sizeof(bytes));
	return 0;
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
