#include "armd/options.h"

#include "client/options.h"
#include "conf/taint.h"
#include "util/log.h"
#include "util/mem.h"
#include "util/units.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

enum { NAME_MAX_LEN = 255, LABELS_MAX = 256, RESOURCES_MAX = 16, CONTROLLERS_MAX = 16 };

static int set_config(void *target, const char *value, struct err *err)
{
	(void)err;
	((struct armd_options *)target)->config = value;
	return 0;
}

static int set_node(void *target, const char *value, struct err *err)
{
	struct armd_options *o = target;
	size_t len = strlen(value);

	if (len == 0 || len > NAME_MAX_LEN)
		return err_set(err, -EINVAL, "a node's name has 1 to %d characters", NAME_MAX_LEN);
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)value[i]) && !(i && strchr("-._", value[i])))
			return err_set(err, -EINVAL,
				       "a node's name holds letters and digits, and inside it "
				       "dash, dot and underscore");
	o->node = value;
	return 0;
}

static int add_word(const char ***words, size_t *count, size_t max, const char *value,
		    struct err *err)
{
	if (*count == max)
		return err_set(err, -EINVAL, "at most %zu of these", max);
	*words = xreallocarray(*words, *count + 1, sizeof(**words));
	(*words)[(*count)++] = value;
	return 0;
}

static int set_controller(void *target, const char *value, struct err *err)
{
	struct armd_options *o = target;

	if (!*value || (value[0] != '/' && !strrchr(value, ':')))
		return err_set(err, -EINVAL, "\"%s\" is neither \"host:port\" nor a path", value);
	return add_word(&o->controllers, &o->controller_count, CONTROLLERS_MAX, value, err);
}

static int set_cpus(void *target, const char *value, struct err *err)
{
	struct armd_options *o = target;
	int64_t milli;
	int rc = parse_cpu(value, &milli, err);

	if (rc == 0 && milli <= 0)
		rc = err_set(err, -EINVAL, "a node has some cpu");
	if (rc == 0)
		o->cpu_milli = milli;
	return rc;
}

static int set_memory(void *target, const char *value, struct err *err)
{
	struct armd_options *o = target;
	int64_t bytes;
	int rc = parse_size(value, &bytes, err);

	if (rc == 0 && bytes <= 0)
		rc = err_set(err, -EINVAL, "a node has some memory");
	if (rc == 0)
		o->memory_bytes = bytes;
	return rc;
}

static int set_gpus(void *target, const char *value, struct err *err)
{
	return parse_int(value, 0, 1024, &((struct armd_options *)target)->gpus, err);
}

static int set_label(void *target, const char *value, struct err *err)
{
	struct armd_options *o = target;
	const char *equals = strchr(value, '=');

	if (!equals || equals == value)
		return err_set(err, -EINVAL, "\"%s\" is not key=value", value);
	return add_word(&o->labels, &o->label_count, LABELS_MAX, value, err);
}

static int set_taint(void *target, const char *value, struct err *err)
{
	struct armd_options *o = target;
	struct taint_words words;
	int rc = taint_parse(value, &words, err);

	return rc < 0 ? rc : add_word(&o->taints, &o->taint_count, LABELS_MAX, value, err);
}

static int check_resource_name(const char *name, size_t len, struct err *err)
{
	static const char *const own[] = {"cpu", "memory", "gpu"};

	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		if (strlen(own[i]) == len && strncmp(own[i], name, len) == 0)
			return err_set(err, -EINVAL, "%s has an option of its own: --%s%s", own[i],
				       own[i], i == 1 ? "" : "s");
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)name[i]) && !(i && strchr("-._/", name[i])))
			len = 0;
	return len && len <= NAME_MAX_LEN
		       ? 0
		       : err_set(err, -EINVAL, "\"%s\" is not NAME=N, as in fpga=2", name);
}

/* Of two with one name the later counts. */
static int set_resource(void *target, const char *value, struct err *err)
{
	struct armd_options *o = target;
	size_t len = strcspn(value, "="), at = 0;
	int64_t amount;
	int rc = check_resource_name(value, len, err);

	if (rc == 0 && !value[len])
		rc = err_set(err, -EINVAL, "\"%s\" is not NAME=N, as in fpga=2", value);
	if (rc == 0)
		rc = parse_int(value + len + 1, 0, INT64_C(1) << 53, &amount, err);
	if (rc < 0)
		return rc;
	while (at < o->resource_count && (strncmp(o->resources[at].name, value, len) != 0 ||
					  o->resources[at].name[len] != '\0'))
		at++;
	if (at == RESOURCES_MAX)
		return err_set(err, -EINVAL, "at most %d of these", RESOURCES_MAX);
	if (at == o->resource_count) {
		o->resources = xreallocarray(o->resources, at + 1, sizeof(*o->resources));
		o->resources[o->resource_count++].name = xasprintf("%.*s", (int)len, value);
	}
	o->resources[at].amount = amount;
	return 0;
}

static int set_spool(void *target, const char *value, struct err *err)
{
	if (value[0] != '/')
		return err_set(err, -EINVAL, "\"%s\" does not begin with a slash", value);
	((struct armd_options *)target)->spool = value;
	return 0;
}

static int set_address(void *target, const char *value, struct err *err)
{
	if (!*value || strlen(value) > NAME_MAX_LEN)
		return err_set(err, -EINVAL, "a host name or address has 1 to %d characters",
			       NAME_MAX_LEN);
	((struct armd_options *)target)->address = value;
	return 0;
}

static int set_libexec(void *target, const char *value, struct err *err)
{
	if (value[0] != '/')
		return err_set(err, -EINVAL, "\"%s\" does not begin with a slash", value);
	((struct armd_options *)target)->libexec = value;
	return 0;
}

static int set_log_level(void *target, const char *value, struct err *err)
{
	struct armd_options *o = target;

	o->log_level = log_level_of(value);
	if (o->log_level < 0)
		return err_set(err, -EINVAL, "\"%s\" is none of error, warn, notice, info, debug",
			       value);
	return 0;
}

static int set_verbose(void *target, const char *value, struct err *err)
{
	struct armd_options *o = target;

	(void)value;
	(void)err;
	o->log_level = o->log_level == LOG_INFO ? LOG_DEBUG : LOG_INFO;
	return 0;
}

static int set_shutdown(void *target, const char *value, struct err *err)
{
	(void)value;
	(void)err;
	((struct armd_options *)target)->mode = ARMD_SHUTDOWN;
	return 0;
}

static int set_help(void *target, const char *value, struct err *err)
{
	(void)value;
	(void)err;
	((struct armd_options *)target)->mode = ARMD_HELP;
	return 0;
}

static int set_version(void *target, const char *value, struct err *err)
{
	(void)value;
	(void)err;
	((struct armd_options *)target)->mode = ARMD_VERSION;
	return 0;
}

/* clang-format off */
static const struct opt rows[] = {
	{"config", NULL, 'f', "FILE", set_config,
	 "Read FILE instead of $ARMADA_CONF or " ARMADA_SYSCONFDIR "/armada.conf, which need not exist"},
	{"node", NULL, 'N', "NAME", set_node, "This node's name (default: the host name up to the first dot)"},
	{"controller", NULL, 'c', "ADDR", set_controller,
	 "Dial the controller at host:port or /path; may be repeated, in order (default: as configured)"},
	{"cpus", NULL, 'C', "CPUS", set_cpus, "Offer CPUS cpus (default: as configured, else as found)"},
	{"memory", NULL, 'm', "SIZE", set_memory, "Offer SIZE of memory (default: as configured, else as found)"},
	{"gpus", NULL, 'G', "N", set_gpus, "Offer N gpus (default: as configured, else as found)"},
	{"label", NULL, 'l', "KEY=VALUE", set_label, "A label that jobs can ask for; may be repeated"},
	{"taint", NULL, 't', "KEY=VALUE:EFFECT", set_taint,
	 "Start only jobs that tolerate this (effect NoSchedule); may be repeated"},
	{"resource", NULL, 'r', "NAME=N", set_resource,
	 "Offer N of another resource; may be repeated"},
	{"spool", NULL, 's', "DIR", set_spool,
	 "Keep what must survive in DIR, of this node alone (default: NAME under spool_dir)"},
	{"address", NULL, 'a', "HOST", set_address,
	 "Where tasks of this node are reached (default: our end of the connection to the controller)"},
	{"libexec", NULL, 0, "DIR", set_libexec,
	 "Where arun-io is, the program that arun runs in tasks (default: " ARMADA_LIBEXECDIR ")"},
	{"log-level", NULL, 0, "LEVEL", set_log_level, "Log up to LEVEL: error, warn, notice, info or debug"},
	{"verbose", NULL, 'v', NULL, set_verbose, "Log more (info); twice: everything (debug)"},
	{"shutdown", NULL, 0, NULL, set_shutdown,
	 "End every task here, as the machine is being shut down, and start no armd"},
	{"help", NULL, 'h', NULL, set_help, "Show this and exit"},
	{"version", NULL, 'V', NULL, set_version, "Show the release and exit"},
};
/* clang-format on */

static const struct opt_table table = {"Options", rows, ARRAY_SIZE(rows)};
static const struct opt_table *const tables[] = {&table, NULL};

int armd_options_parse(int argc, char **argv, struct armd_options *ret_options, struct err *err)
{
	struct armd_options o = {.gpus = -1};
	const char **operands = NULL;
	size_t count = 0;
	int rc = opt_parse(tables, argc, argv, &o, &operands, &count, err);

	if (rc == 0 && count && o.mode == ARMD_RUN)
		rc = err_set(err, -EINVAL, "%s: armd takes options only", operands[0]);
	free(operands);
	if (rc < 0) {
		armd_options_done(&o);
		return rc;
	}
	*ret_options = o;
	return 0;
}

void armd_options_done(struct armd_options *o)
{
	free(o->controllers);
	free(o->labels);
	free(o->taints);
	for (size_t i = 0; i < o->resource_count; i++)
		free((char *)(uintptr_t)o->resources[i].name);
	free(o->resources);
	*o = (struct armd_options){.gpus = -1};
}

void armd_options_help(struct buf *out)
{
	buf_addstr(out, "Usage: armd [OPTION]...\n"
			"The daemon of a node of an Armada cluster.\n\n");
	opt_help(tables, out);
	buf_addstr(out, "\nSee armd(8) and armada.conf(5).\n");
}
