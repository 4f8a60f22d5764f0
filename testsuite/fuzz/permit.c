/* Input: a permission. An accepted permission, printed and parsed again, must be the same. */
#include "conf/permit.h"
#include "util/buf.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP_BUF struct buf b = {0};
	struct permit p, again;
	char text[PERMIT_TEXT], twice[PERMIT_TEXT];
	struct err err;

	buf_add(&b, data, size);
	if (permit_parse((char *)b.data, &p, &err) < 0)
		return 0;
	if (!p.verbs || (p.verbs & ~(unsigned)PERMIT_EVERY) || (p.kind == PERMIT_ALL) != !p.name[0])
		abort();
	permit_print(&p, text);
	if (permit_parse(text, &again, &err) < 0 || again.kind != p.kind ||
	    again.verbs != p.verbs || strcmp(again.name, p.name) != 0)
		abort();
	permit_print(&again, twice);
	if (strcmp(text, twice) != 0)
		abort();
	return 0;
}
