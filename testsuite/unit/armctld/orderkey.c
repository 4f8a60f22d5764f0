/* The order key: created once, private, and refused if others can read it. */
#include "armctld/orderkey.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void flip(const char *path, long at)
{
	FILE *f = fopen(path, "r+");
	int byte;

	if (!f || fseek(f, at, SEEK_SET) < 0 || (byte = fgetc(f)) == EOF ||
	    fseek(f, at, SEEK_SET) < 0 || fputc(byte ^ 4, f) == EOF || fclose(f))
		bail("%s", path);
}

/* Each flipped bit is found, and a new key replaces the damaged one; so is a missing file. */
static void test_damage(const char *dir, const char *path, const uint8_t id[16],
			const struct order_key *first)
{
	struct order_key before = *first, now;
	struct err err;
	struct stat st;
	int unnoticed = 0;

	stat(path, &st);
	for (long at = 0; at < st.st_size; at++) {
		flip(path, at);
		if (order_key_load(dir, id, false, &now, &err) < 0)
			bail("%s", err.text);
		unnoticed += memcmp(now.secret, before.secret, sizeof(now.secret)) == 0;
		before = now;
	}
	is_int(unnoticed, 0, "a key with a flipped bit is replaced (%d bytes)", (int)st.st_size);
	ok(truncate(path, 20) == 0 && order_key_load(dir, id, false, &now, &err) == 0 &&
		   memcmp(now.secret, before.secret, sizeof(now.secret)) != 0,
	   "so is a file that is too short");
	before = now;
	ok(unlink(path) == 0 && order_key_load(dir, id, false, &now, &err) == 0 &&
		   memcmp(now.secret, before.secret, sizeof(now.secret)) != 0,
	   "and a missing file");
}

/* A file of a release without a checksum. */
static void test_plain(const char *dir, const char *path, const uint8_t id[16])
{
	struct order_key a, b;
	struct err err;
	struct stat st;
	FILE *f = fopen(path, "w");

	if (!f || fwrite("ARMOKEY1", 8, 1, f) != 1 ||
	    fwrite("0123456789abcdef0123456789abcdef", 32, 1, f) != 1 || fclose(f))
		bail("%s", path);
	ok(order_key_load(dir, id, false, &a, &err) == 0 && order_key_load(dir, id, false, &b, &err) == 0 &&
		   memcmp(&a, &b, sizeof(a)) == 0,
	   "a key of an earlier release is kept");
	ok(stat(path, &st) == 0 && st.st_size > 40 && (st.st_mode & 07777) == 0600,
	   "its file gets a checksum");
}

int main(void)
{
	char dir[] = "/tmp/armada-orderkey-XXXXXX";
	CLEANUP_FREE char *path = NULL, *aside = NULL;
	struct order_key a = {0}, b = {0};
	uint8_t payload[ORDER_KEY_PAYLOAD], id[16] = "0123456789abcde";
	const uint8_t other[16] = "another cluster";
	struct err err = {""};
	struct stat st;

	if (sodium_init() < 0 || !mkdtemp(dir))
		bail("no sodium or no directory");
	path = xasprintf("%s/order.key", dir);
	aside = xasprintf("%s/order.key.damaged", dir);
	is_int(order_key_create(dir, id, &err), 0, "a key is created");
	ok(stat(path, &st) == 0 && (st.st_mode & 07777) == 0600, "only its owner can read it");
	is_int(order_key_load(dir, id, false, &a, &err), 0, "the key is loaded");
	is_int(order_key_load(dir, id, false, &b, &err), 0, "the key is loaded again");
	ok(memcmp(&a, &b, sizeof(a)) == 0, "both are the same key");
	ok(order_key_create(dir, id, &err) < 0, "an existing key is not replaced");
	ok(order_key_load(dir, other, false, &b, &err) < 0, "the key of another cluster is refused");
	has_str(err.text, "is the key of another cluster", "the error says so");
	order_key_payload(&a, id, payload);
	ok(memcmp(payload, "armada-order-key", 16) == 0 && memcmp(payload + 16, id, 16) == 0 &&
		   memcmp(payload + 32, a.public, 32) == 0,
	   "the payload has a label, the cluster and the public key");
	chmod(path, 0640);
	ok(order_key_load(dir, id, false, &b, &err) < 0, "a key that others can read is refused");
	has_str(err.text, "chmod 600", "the error names chmod 600");
	chmod(path, 0600);
	test_damage(dir, path, id, &a);
	test_plain(dir, path, id);
	unlink(path);
	unlink(aside);
	rmdir(dir);
	return done();
}
