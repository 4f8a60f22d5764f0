#include "tap/tap.h"
#include "util/buf.h"

#include <stdlib.h>
#include <string.h>

int main(void)
{
	struct buf b = {0};
	uint8_t *taken;
	size_t len;

	buf_addstr(&b, "");
	is_str((char *)b.data, "", "an empty addition gives an empty string");
	buf_addstr(&b, "one");
	buf_addc(&b, ' ');
	buf_addf(&b, "%d%s", 2, "!");
	is_str((char *)b.data, "one 2!", "the data is a C string");
	is_int((long long)b.len, 6, "the length is right");
	buf_drop(&b, 4);
	is_str((char *)b.data, "2!", "the front can be dropped");
	buf_drop(&b, 0);
	buf_drop(&b, 2);
	ok(b.len == 0 && b.data[0] == 0, "everything can be dropped");
	for (int i = 0; i < 10000; i++)
		buf_addf(&b, "%04d", i);
	is_int((long long)b.len, 40000, "the buffer grows");
	ok(memcmp(b.data + 4 * 1234, "1234", 4) == 0, "the buffer keeps its data");
	buf_clear(&b);
	buf_add(&b, "a\0b", 3);
	ok(b.len == 3 && memcmp(b.data, "a\0b", 4) == 0, "zero bytes are kept");
	memcpy(buf_reserve(&b, 2), "cd", 2);
	b.len += 2;
	is_int((long long)b.len, 5, "reserved room counts");
	taken = buf_take(&b, &len);
	ok(len == 5 && !b.data && !b.len, "take leaves an empty buffer");
	free(taken);
	buf_addstr(&b, "again");
	is_str((char *)b.data, "again", "the buffer can be used after take");
	buf_done(&b);
	ok(!b.data, "done frees the data");
	return done();
}
