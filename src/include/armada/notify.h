/*
 * Notify plugins: tell another program or service about ends of jobs.
 *
 * A plugin runs in a process of its own, one for each target of the list `notify` of armada.conf, so it may
 * block and may crash. The host gives it one end at a time, in the order in which they were recorded, and
 * the next one only when the plugin has accepted the one before. An end that was not accepted is given
 * again, after a pause that grows, and so is the last one after a restart: a target gets each end at least
 * once, and should ignore an end that it knows (job, element and attempt identify it). A plugin that does
 * not return within the time limit of its target is killed with all its processes.
 */
#ifndef ARMADA_NOTIFY_H
#define ARMADA_NOTIFY_H

#include <armada/plugin.h>
#include <stddef.h>

struct armada_notify_end {
	const char *json; /* one object, without a line feed (armada-plugins(7)) */
	size_t json_len;
	/* Of a mail; NULL otherwise. One line each, without control characters, and the text. */
	const char *to, *subject, *text;
};

struct armada_notify_ops {
	/*
	 * name, target: of the target in armada.conf, borrowed. Returns 0, or a negative errno with a
	 * sentence in err if the target cannot be used.
	 */
	int (*open)(void **ret_handle, const char *name, const char *target,
		    const struct armada_host *host, struct armada_error *err);
	void (*close)(void *handle);
	/* 0: accepted. A negative errno with a sentence in err: give it again later. */
	int (*deliver)(void *handle, const struct armada_notify_end *end, struct armada_error *err);
};

#endif
