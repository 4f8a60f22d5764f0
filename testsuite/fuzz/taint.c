/* Input: a taint or a toleration. An accepted value, printed and parsed again, must be the same. */
#include "conf/taint.h"
#include "util/buf.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void reread(int (*parse)(const char *, struct taint_words *, struct err *),
		   const struct taint_words *w)
{
	CLEANUP_BUF struct buf b = {0};
	struct taint_words again;

	buf_addf(&b, "%s%s%s%s%s", w->key[0] ? w->key : "*", w->has_value ? "=" : "", w->value,
		 w->effect[0] ? ":" : "", w->effect);
	if (parse((char *)b.data, &again, NULL) < 0 || strcmp(again.key, w->key) != 0 ||
	    strcmp(again.value, w->value) != 0 || strcmp(again.effect, w->effect) != 0 ||
	    again.has_value != w->has_value)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP_BUF struct buf b = {0};
	struct taint_words w;
	struct err err;

	buf_add(&b, data, size);
	if (taint_parse((char *)b.data, &w, &err) == 0)
		reread(taint_parse, &w);
	if (toleration_parse((char *)b.data, &w, &err) == 0)
		reread(toleration_parse, &w);
	return 0;
}
