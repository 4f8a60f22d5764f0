/* Input: a value of --signal. An accepted value must have an existing signal and a valid time. */
#include "util/buf.h"
#include "util/signals.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP_BUF struct buf b = {0};
	char name[SIGNAL_NAME];
	struct signal_wish w;
	struct err err;
	int again;

	buf_add(&b, data, size);
	if (signal_parse_wish((char *)b.data, &w, &err) < 0)
		return 0;
	if (w.signal < 0 || w.signal > SIGNALS_LAST || w.before_s < 0 ||
	    w.before_s > SIGNAL_BEFORE_MAX_S || (!w.signal && (w.before_s || !w.script_only)))
		abort();
	if (!w.signal)
		return 0;
	signal_format(w.signal, name);
	if (signal_parse(name, &again, &err) < 0 || again != w.signal)
		abort();
	return 0;
}
