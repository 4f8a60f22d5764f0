/* CRC-32C compared with RFC 3720, and the instruction with the table. */
#include "tap/tap.h"

#include "../plugins/state/sqlite/crc32c.h"

#include <stdlib.h>

int main(void)
{
	uint8_t text[1000];
	unsigned seed = 1;
	int differ = 0;

	is_int(crc32c(0, "123456789", 9), 0xe3069283, "the check value is right");
	is_int(crc32c_table(0, "123456789", 9), 0xe3069283,
	       "the check value by the table is right");
	is_int(crc32c(0, "", 0), 0, "the CRC of an empty text is 0");
	is_int(crc32c(crc32c(0, "1234", 4), "56789", 5), 0xe3069283,
	       "the CRC of two pieces is that of the whole");
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (uint8_t)rand_r(&seed);
	for (size_t from = 0; from < 16; from++)
		for (size_t len = 0; len + from < sizeof(text); len += 1 + len / 16)
			differ += crc32c(7, text + from, len) != crc32c_table(7, text + from, len);
	is_int(differ, 0, "instruction and table agree at any offset and length");
	return done();
}
