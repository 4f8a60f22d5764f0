/*
 * The list of devices that a task may open.
 *
 * In: the task's own devices, and patterns of the administrator. Out: rules of type, major and minor,
 * without duplicates. A pattern that matches no device file adds nothing.
 */
#include "devices.h"

#include <errno.h>
#include <glob.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* Devices of every Linux, at any path. */
static const struct device_rule usual[] = {
	{false, 1, 3},                   /* null */
	{false, 1, 5},                   /* zero */
	{false, 1, 7},                   /* full */
	{false, 1, 8},                   /* random */
	{false, 1, 9},                   /* urandom */
	{false, 5, 0},                   /* tty */
	{false, 5, 2},                   /* ptmx */
	{false, 136, DEVICES_ANY_MINOR}, /* pts */
};

/* Devices that programs on clusters need. None is a gpu; some are control devices that gpus share. */
static const char *const common[] = {
	"/dev/fuse",
	"/dev/net/tun",
	"/dev/infiniband/*",
	"/dev/hfi1*",
	"/dev/knem",
	"/dev/xpmem",
	"/dev/cxi*",
	"/dev/kvm",
	"/dev/nvidiactl",
	"/dev/nvidia-uvm*",
	"/dev/nvidia-modeset",
	"/dev/nvidia-caps/*",
	"/dev/nvidia-caps-imex-channels/*",
	"/dev/gdrdrv",
	"/dev/kfd",
	"/dev/rtc0",
};

static int add(struct device_rules *rules, const struct device_rule *rule)
{
	for (size_t i = 0; i < rules->count; i++)
		if (rules->list[i].block == rule->block && rules->list[i].major == rule->major &&
		    rules->list[i].minor == rule->minor)
			return 0;
	if (rules->count == DEVICES_MAX)
		return -E2BIG;
	rules->list[rules->count++] = *rule;
	return 0;
}

static int add_file(struct device_rules *rules, const char *path)
{
	struct device_rule rule;
	struct stat st;

	if (stat(path, &st) < 0 || (!S_ISCHR(st.st_mode) && !S_ISBLK(st.st_mode)))
		return 0;
	rule = (struct device_rule){
		.block = S_ISBLK(st.st_mode),
		.major = major(st.st_rdev),
		.minor = minor(st.st_rdev),
	};
	return add(rules, &rule);
}

static int add_pattern(struct device_rules *rules, const char *pattern)
{
	glob_t files;
	int rc = 0;

	if (strcspn(pattern, "*?[") == strlen(pattern))
		return add_file(rules, pattern);
	if (glob(pattern, GLOB_NOSORT, NULL, &files) != 0)
		return 0;
	for (size_t i = 0; rc == 0 && i < files.gl_pathc; i++)
		rc = add_file(rules, files.gl_pathv[i]);
	globfree(&files);
	return rc;
}

int devices_collect(const struct armada_contain_limits *limits, const char *const *patterns,
		    size_t pattern_count, struct device_rules *ret_rules)
{
	int rc = 0;

	ret_rules->count = 0;
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		add(ret_rules, &usual[i]);
	for (size_t i = 0; rc == 0 && i < limits->device_count; i++) {
		const struct armada_device *d = &limits->devices[i];
		struct device_rule rule = {d->block, d->major, d->minor};

		rc = add(ret_rules, &rule);
	}
	for (size_t i = 0; rc == 0 && i < sizeof(common) / sizeof(common[0]); i++)
		rc = add_pattern(ret_rules, common[i]);
	for (size_t i = 0; rc == 0 && i < pattern_count; i++)
		rc = add_pattern(ret_rules, patterns[i]);
	return rc;
}
