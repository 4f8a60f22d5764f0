/* The order key: created once, private, and refused if others can read it. */
#include "armctld/orderkey.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
	char dir[] = "/tmp/armada-orderkey-XXXXXX";
	CLEANUP_FREE char *path = NULL;
	struct order_key a = {0}, b = {0};
	uint8_t payload[ORDER_KEY_PAYLOAD], id[16] = "0123456789abcde";
	struct err err = {""};
	struct stat st;

	if (sodium_init() < 0 || !mkdtemp(dir))
		bail("no sodium or no directory");
	path = xasprintf("%s/order.key", dir);
	ok(order_key_load(dir, &a, &err) < 0, "without a key the controller does not start");
	has_str(err.text, "--init", "the error names --init");
	is_int(order_key_create(dir, &err), 0, "a key is created");
	ok(stat(path, &st) == 0 && (st.st_mode & 07777) == 0600, "only its owner can read it");
	is_int(order_key_load(dir, &a, &err), 0, "the key is loaded");
	is_int(order_key_load(dir, &b, &err), 0, "the key is loaded again");
	ok(memcmp(&a, &b, sizeof(a)) == 0, "both are the same key");
	ok(order_key_create(dir, &err) < 0, "an existing key is not replaced");
	order_key_payload(&a, id, payload);
	ok(memcmp(payload, "armada-order-key", 16) == 0 && memcmp(payload + 16, id, 16) == 0 &&
		   memcmp(payload + 32, a.public, 32) == 0,
	   "the payload has a label, the cluster and the public key");
	chmod(path, 0640);
	ok(order_key_load(dir, &b, &err) < 0, "a key that others can read is refused");
	has_str(err.text, "chmod 600", "the error names chmod 600");
	chmod(path, 0600);
	ok(truncate(path, 20) == 0 && order_key_load(dir, &b, &err) < 0,
	   "a damaged key is refused");
	unlink(path);
	rmdir(dir);
	return done();
}
