/*
 * Input: armada.conf. An accepted file must be printed as a file that is accepted too; every
 * refusal must have a message.
 */
#include "conf/conf.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* libconfig 1.5 loses the text of a string that a syntax error cuts off. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libconfig.so";
}

static const struct armada_option rows[] = {
	{.name = "a", .type = ARMADA_OPTION_DURATION, .def = "1s"},
	{.name = "b", .type = ARMADA_OPTION_NUMBERS},
	{.name = "c", .type = ARMADA_OPTION_STRINGS},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP_BUF struct buf text = {0}, shown = {0};
	struct conf *c, *again;
	struct err err = {0};

	buf_add(&text, data, size);
	if (conf_parse(&c, "fuzz", (char *)text.data, &err) < 0) {
		if (!err.text[0])
			abort();
		return 0;
	}
	conf_plugin_options(c, ARMADA_PLUGIN_STATE, rows, 3, &err);
	conf_show(c, false, &shown);
	if (conf_parse(&again, "shown", (char *)shown.data, &err) < 0)
		abort();
	conf_free(again);
	conf_free(c);
	return 0;
}
