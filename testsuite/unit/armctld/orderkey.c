/* The order key: made once, kept private, refused when others could have read it. */
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
	ok(order_key_load(dir, &a, &err) < 0, "no key, no start");
	has_str(err.text, "--init", "the sentence says what makes one");
	is_int(order_key_create(dir, &err), 0, "a key is made");
	ok(stat(path, &st) == 0 && (st.st_mode & 07777) == 0600, "readable by its owner alone");
	is_int(order_key_load(dir, &a, &err), 0, "and loaded");
	is_int(order_key_load(dir, &b, &err), 0, "and loaded again");
	ok(memcmp(&a, &b, sizeof(a)) == 0, "the same one");
	ok(order_key_create(dir, &err) < 0, "a key that is there is not replaced");
	order_key_payload(&a, id, payload);
	ok(memcmp(payload, "armada-order-key", 16) == 0 && memcmp(payload + 16, id, 16) == 0 &&
		   memcmp(payload + 32, a.public, 32) == 0,
	   "nodes are told words, cluster and public key");
	chmod(path, 0640);
	ok(order_key_load(dir, &b, &err) < 0, "a key that others may read is refused");
	has_str(err.text, "chmod 600", "with the remedy");
	chmod(path, 0600);
	ok(truncate(path, 20) == 0 && order_key_load(dir, &b, &err) < 0, "so is a damaged one");
	unlink(path);
	rmdir(dir);
	return done();
}
