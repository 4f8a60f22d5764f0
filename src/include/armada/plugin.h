/*
 * The descriptor that every plugin exports.
 *
 * A plugin is a shared object <plugindir>/<kind>_<name>.so. It exports one symbol,
 * `armada_plugin`, and imports no symbol of Armada (it is linked with -Wl,-z,defs). Functions of
 * the host are in `struct armada_host`. The host refuses a plugin whose magic, ABI number, kind,
 * name or table sizes do not match, and a file that other users than its owner may write. The error
 * names the reason.
 *
 * New operations are added only at the end of a table. A host accepts a plugin whose table is
 * shorter than its own, but not shorter than in the first release with this ABI number. Missing
 * operations count as NULL. A change that breaks old plugins raises ARMADA_PLUGIN_ABI.
 */
#ifndef ARMADA_PLUGIN_H
#define ARMADA_PLUGIN_H

#include <armada/error.h>
#include <armada/option.h>
#include <stdint.h>

#define ARMADA_PLUGIN_MAGIC  UINT32_C(0x41524d50) /* "ARMP" */
#define ARMADA_PLUGIN_ABI    2
#define ARMADA_PLUGIN_SYMBOL "armada_plugin"

/* The numbers never change. */
enum armada_plugin_kind {
	ARMADA_PLUGIN_AUTH = 1,
	ARMADA_PLUGIN_STATE = 2,
	ARMADA_PLUGIN_FAIRNESS = 3,
	ARMADA_PLUGIN_ORDER = 4,
	ARMADA_PLUGIN_PREEMPT = 5,
	ARMADA_PLUGIN_SELECT = 6,
	ARMADA_PLUGIN_CONTAIN = 7,
	ARMADA_PLUGIN_NOTIFY = 8,
	ARMADA_PLUGIN_MPI = 9,
};

/* The functions of the host. level is that of syslog: 3 error, 4 warning, 5 notice, 6 info, 7 debug. */
struct armada_host {
	uint32_t abi;
	void (*log)(int level, const char *text);
};

struct armada_plugin {
	uint32_t magic;
	uint32_t abi;
	enum armada_plugin_kind kind;
	const char *name;
	const char *description; /* one line */
	const struct armada_option *options;
	size_t option_count;
	const void *ops; /* struct armada_<kind>_ops of armada/<kind>.h */
	size_t ops_size;
};

/*
 * Define the exported descriptor:
 *
 *	ARMADA_PLUGIN(ARMADA_PLUGIN_SELECT, "binpack", "least free resources first", options, ops)
 */
#define ARMADA_PLUGIN(kind_, name_, description_, options_, ops_)                                  \
	__attribute__((visibility("default"))) extern const struct armada_plugin armada_plugin;    \
	const struct armada_plugin armada_plugin = {                                               \
		.magic = ARMADA_PLUGIN_MAGIC,                                                      \
		.abi = ARMADA_PLUGIN_ABI,                                                          \
		.kind = (kind_),                                                                   \
		.name = (name_),                                                                   \
		.description = (description_),                                                     \
		.options = (options_),                                                             \
		.option_count = sizeof(options_) / sizeof((options_)[0]),                          \
		.ops = &(ops_),                                                                    \
		.ops_size = sizeof(ops_),                                                          \
	}

/* The same for a plugin without options. */
#define ARMADA_PLUGIN_PLAIN(kind_, name_, description_, ops_)                                      \
	__attribute__((visibility("default"))) extern const struct armada_plugin armada_plugin;    \
	const struct armada_plugin armada_plugin = {                                               \
		.magic = ARMADA_PLUGIN_MAGIC,                                                      \
		.abi = ARMADA_PLUGIN_ABI,                                                          \
		.kind = (kind_),                                                                   \
		.name = (name_),                                                                   \
		.description = (description_),                                                     \
		.ops = &(ops_),                                                                    \
		.ops_size = sizeof(ops_),                                                          \
	}

#endif
