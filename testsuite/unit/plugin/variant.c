/* A plugin, good or with one defect: -DVARIANT_<what>. */
#include <armada/auth.h>

static const struct armada_auth_ops ops;

enum {
#ifdef VARIANT_magic
	MAGIC = 1,
#else
	MAGIC = ARMADA_PLUGIN_MAGIC,
#endif
#ifdef VARIANT_abi
	ABI = ARMADA_PLUGIN_ABI + 1,
#else
	ABI = ARMADA_PLUGIN_ABI,
#endif
#ifdef VARIANT_kind
	KIND = ARMADA_PLUGIN_SELECT,
#else
	KIND = ARMADA_PLUGIN_AUTH,
#endif
#ifdef VARIANT_size
	SIZE = sizeof(ops) - 8,
#else
	SIZE = sizeof(ops),
#endif
};

#ifdef VARIANT_name
#define NAME "other"
#else
#define NAME "test"
#endif

/* one variant has no table of options */
__attribute__((unused)) static const struct armada_option options[] = {
	{.name = "depth",
	 .type = ARMADA_OPTION_INT,
#ifdef VARIANT_default
	 .def = "deep",
#else
	 .def = "7",
#endif
	 .min = 1,
	 .max = 9,
	 .help = "How deep."},
	{.name = "words", .type = ARMADA_OPTION_STRINGS, .help = "Some words."},
};

#ifdef VARIANT_undefined
extern int not_to_be_found(void);
__attribute__((constructor)) static void use(void)
{
	not_to_be_found();
}
#endif

#ifdef VARIANT_nosymbol
#define SYMBOL armada_plug
#else
#define SYMBOL armada_plugin
#endif

__attribute__((visibility("default"))) extern const struct armada_plugin SYMBOL;
const struct armada_plugin SYMBOL = {
	.magic = MAGIC,
	.abi = ABI,
	.kind = (enum armada_plugin_kind)KIND,
	.name = NAME,
	.description = "a plugin of the tests",
#ifndef VARIANT_nooptions
	.options = options,
#endif
	.option_count = sizeof(options) / sizeof(options[0]),
	.ops = &ops,
	.ops_size = SIZE,
};
