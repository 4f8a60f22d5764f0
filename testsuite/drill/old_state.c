/*
 * old_state DIR PLUGINS: writes the first record of a cluster, as a release wrote it that did not yet
 * record which priority classes are the default. DIR: a state directory that `armctld --init` has
 * just made. PLUGINS: the directory of the plugins.
 */
#include "conf/conf.h"
#include "core/core.h"
#include "plugin/plugin.h"
#include "util/mem.h"

#include <armada/state.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void check(int rc, const char *text)
{
	if (rc >= 0)
		return;
	fprintf(stderr, "old_state: %s\n", text);
	exit(1);
}

/* The record with which a controller of this release begins, without the classes. */
static void first_record(const uint8_t cluster_id[16], struct buf *out)
{
	const struct core_policy policy = {.cluster = "armada", .default_class = "armada-default"};
	const struct input begin = {.kind = INPUT_BEGIN,
				    .host = "before",
				    .release = "before",
				    .wall_us = (int64_t)time(NULL) * 1000000};
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	struct core *core = core_new(&policy);
	struct output output;
	Armada__Record *r;

	core_set_cluster(core, cluster_id);
	core_input(core, &begin, &output);
	r = msg_unpack_own(&armada__record__descriptor, output.record, output.record_len, arena);
	for (size_t i = 0; i < r->n_events; i++)
		if (r->events[i]->kind_case == ARMADA__EVENT__KIND_EPOCH_BEGAN)
			r->events[i]->epoch_began->class_defaults = 0;
	msg_pack(&r->base, out);
	core_free(core);
}

int main(int argc, char **argv)
{
	const struct armada_state_ops *ops;
	struct armada_state_record record = {.seq = 1};
	struct armada_state_info found;
	struct armada_error why = {""};
	CLEANUP_BUF struct buf packed = {0};
	struct plugin plugin;
	struct err err = {""};
	void *state;

	if (argc != 3)
		check(-1, "expected DIR PLUGINS");
	check(plugin_load(&plugin, argv[2], ARMADA_PLUGIN_STATE, "sqlite", &err), err.text);
	ops = plugin.ops;
	check(ops->open(&state, argv[1], plugin.values, &plugin_host, &found, &why), why.text);
	first_record(found.cluster_id, &packed);
	record.data = packed.data;
	record.len = packed.len;
	check(ops->append(state, &record, 1, &why), why.text);
	ops->close(state);
	plugin_free(&plugin);
	return 0;
}
