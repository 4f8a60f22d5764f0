/*
 * Input: an amount or fractions of resources. An accepted value, printed and parsed again, must be
 * the same.
 */
#include "conf/quantity.h"
#include "util/buf.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP_BUF struct buf b = {0};
	char text[QUANTITY_TEXT];
	struct amount a, same;
	struct share s, as;
	const char *input;

	buf_add(&b, data, size);
	input = b.data ? (char *)b.data : "";
	if (amount_parse(input, &a, NULL) == 0) {
		amount_print(&a, text);
		if (amount_parse(text, &same, NULL) < 0 || same.resource != a.resource ||
		    same.amount != a.amount)
			abort();
	}
	if (share_parse(input, &s, NULL) == 0) {
		share_print(&s, text);
		if (share_parse(text, &as, NULL) < 0 || as.limited != s.limited ||
		    strcmp(as.class_name, s.class_name) != 0 ||
		    memcmp(as.of, s.of, sizeof(s.of)) != 0)
			abort();
	}
	return 0;
}
