/*
 * Compares what tasks of this node are limited in with what the site wants.
 *
 * Input: the loaded contain plugin with its options, and the machine. Output: the containment and the missing
 * limits of the registration, a warning in the log, or an error if the option `require` names a missing one.
 *
 * Without `require` a site wants limits of memory and cpu, and of devices where the node has gpus. A site
 * that names a plugin without limits, or switches the filter of devices off, wants none of what is missing.
 */
#include "armd/node_containment.h"

#include "armd/node_plugins.h"
#include "util/log.h"
#include "util/mem.h"

#include <armada/contain.h>

#include <errno.h>
#include <string.h>

static const struct {
	const char *name;
	uint32_t bit;
} words[] = {
	{"memory", ARMADA_CONTAINS_MEMORY},
	{"cpu", ARMADA_CONTAINS_CPU},
	{"devices", ARMADA_CONTAINS_DEVICES},
	{"pids", ARMADA_CONTAINS_PIDS},
};

static char *print(uint32_t bits)
{
	CLEANUP_BUF struct buf text = {0};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (bits & words[i].bit)
			buf_addf(&text, "%s%s", text.len ? "," : "", words[i].name);
	return xasprintf("%.*s", (int)text.len, text.len ? (char *)text.data : "");
}

static const struct armada_option_value *option(const struct node *n, const char *name)
{
	for (size_t i = 0; i < n->contain.desc->option_count; i++)
		if (strcmp(n->contain.desc->options[i].name, name) == 0)
			return &n->contain.values[i];
	return NULL;
}

/* gpus_unknown: the plugin filters devices, but the node does not know which files are its gpus. */
static uint32_t limited(const struct node *n, bool *ret_gpus_unknown)
{
	const struct armada_contain_ops *ops = n->contain.ops;
	uint32_t bits = ops->contains ? ops->contains(n->contain.values) : 0;

	*ret_gpus_unknown = (bits & ARMADA_CONTAINS_DEVICES) && n->machine.gpu_count > 0 &&
			    !n->machine.devices_known;
	return *ret_gpus_unknown ? bits & ~(uint32_t)ARMADA_CONTAINS_DEVICES : bits;
}

static uint32_t wanted(const struct node *n, uint32_t has)
{
	const struct armada_option_value *filter = option(n, "device_filter");
	uint32_t bits = ARMADA_CONTAINS_MEMORY | ARMADA_CONTAINS_CPU;

	if (!n->contain_auto && !has)
		return 0;
	if (n->machine.gpu_count > 0 && !(filter && !filter->i))
		bits |= ARMADA_CONTAINS_DEVICES;
	return bits;
}

/* The text after "not limited: ": the causes, as far as they are known. */
static void add_causes(const struct node *n, bool gpus_unknown, struct buf *out)
{
	buf_addf(out, " by contain/%s", n->contain.desc->name);
	if (gpus_unknown)
		buf_addstr(out, "; the device files of the node's gpus are not known "
				"(gpu_devices)");
	if (n->contain_why)
		buf_addf(out, "; not better: %s", n->contain_why);
	buf_addc(out, '\0');
}

static bool node_can_suspend(const struct node *n)
{
	const struct armada_contain_ops *ops = n->contain.ops;

	return ops->freeze != NULL;
}

int node_check_containment(struct node *n, struct err *err)
{
	const struct armada_option_value *require = option(n, "require");
	CLEANUP_BUF struct buf causes = {0};
	uint32_t demanded = 0, has, missing;
	bool gpus_unknown;
	int rc = candidates_limits(require ? require->s : "", &demanded, err);

	if (rc < 0)
		return rc;
	has = limited(n, &gpus_unknown);
	missing = (demanded ? demanded : wanted(n, has)) & ~has;
	n->not_limited = print(missing);
	n->network.declared.containment = n->contain.desc->name;
	n->network.declared.not_limited = n->not_limited;
	n->network.declared.can_suspend = node_can_suspend(n);
	n->launcher.no_cpu_time = has & ARMADA_CONTAINS_CPU ? NULL : n->contain.desc->name;
	cpus_describe(n->launcher.cpus, &n->machine, true, n->launcher.no_cpu_time, n->cpus);
	n->network.declared.cpu_containment = n->cpus;
	if (!missing)
		return 0;
	add_causes(n, gpus_unknown, &causes);
	if (demanded)
		return err_set(err, -ENOTSUP,
			       "%s: plugins: contain: require: not limited here: %s%s",
			       n->conf->file, n->not_limited, (char *)causes.data);
	log_warn("containment: tasks are not limited in: %s (see require in armada.conf)",
		 n->not_limited);
	return 0;
}
