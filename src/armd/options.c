/*
 * The command line of armd. Input: argv. Output: struct armd_options, or an error. The options of
 * the node come from the table of node fields (conf/node_table.h); the others are rows here.
 */
#include "armd/options.h"

#include "conf/conf.h"
#include "conf/quantity.h"
#include "conf/taint.h"
#include "util/mem.h"
#include "util/options.h"
#include "util/units.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

enum { NAME_MAX_LEN = 255, LABELS_MAX = 256, CONTROLLERS_MAX = 16 };

static int check_node(const char *value, struct err *err)
{
	size_t len = strlen(value);

	if (len == 0 || len > NAME_MAX_LEN)
		return err_set(err, -EINVAL, "a node name has 1 to %d characters", NAME_MAX_LEN);
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)value[i]) && !(i && strchr("-._", value[i])))
			return err_set(err, -EINVAL,
				       "a node name consists of letters and digits, and of dashes, "
				       "dots and underscores between them");
	return 0;
}

static int check_controller(const char *value, struct err *err)
{
	if (!*value || (value[0] != '/' && !strrchr(value, ':')))
		return err_set(err, -EINVAL, "'%s' is neither \"host:port\" nor a path", value);
	return 0;
}

static int check_label(const char *value, struct err *err)
{
	const char *equals = strchr(value, '=');

	if (!equals || equals == value || equals - value > NAME_MAX_LEN ||
	    strlen(equals + 1) > NAME_MAX_LEN)
		return err_set(err, -EINVAL,
			       "'%.80s' is not key=value, with at most %d characters each", value,
			       NAME_MAX_LEN);
	return 0;
}

static int check_taint(const char *value, struct err *err)
{
	struct taint_words words;

	return taint_parse(value, &words, err);
}

static int check_offer(const char *value, struct err *err)
{
	struct offer o;

	return offer_parse(value, &o, err);
}

static int check_path(const char *value, struct err *err)
{
	return value[0] == '/' ? 0
			       : err_set(err, -EINVAL, "'%s' does not begin with a slash", value);
}

static int check_address(const char *value, struct err *err)
{
	if (!*value || strlen(value) > NAME_MAX_LEN)
		return err_set(err, -EINVAL, "a host name or address has 1 to %d characters",
			       NAME_MAX_LEN);
	return 0;
}

static int set_show(void *target, const void *unused, const char *value, struct err *err)
{
	struct armd_options *o = target;

	(void)unused;
	o->mode = ARMD_SHOW;
	return conf_show_read(value, &o->changed, err);
}

#define OPTION(name, letter, arg, to, help)                   {name, NULL, letter, arg, to, help},
#define NODE_OPTION(member, registered, in_file, option, ...) option

/* clang-format off */
static const struct opt rows[] = {
	{"config", NULL, 'f', "FILE", OPT_TEXT(struct armd_options, config),
	 "Read FILE instead of $ARMADA_CONF or " ARMADA_SYSCONFDIR "/armada.conf, which need not exist"},
	{"node", NULL, 'N', "NAME", OPT_CHECKED(struct armd_options, node.name, check_node),
	 "Name of this node (default: the host name up to the first dot)"},
	{"controller", NULL, 'c', "ADDR", OPT_LIST(struct armd_options, controllers, controller_count, CONTROLLERS_MAX, check_controller),
	 "Address of a controller, host:port or the path of a socket; may be repeated, tried in order (default: as configured)"},
	NODE_TABLE(NODE_OPTION)
	{"libexec", NULL, 0, "DIR", OPT_CHECKED(struct armd_options, libexec, check_path),
	 "Directory of arun-io, the program that arun runs in tasks (default: " ARMADA_LIBEXECDIR ")"},
	{"log-level", NULL, 0, "LEVEL", OPT_LOG_LEVEL(struct armd_options, log_level), "Log messages up to LEVEL: error, warn, notice, info or debug"},
	{"log-format", NULL, 0, "FORMAT", OPT_LOG_FORMAT(struct armd_options, log_format), "Log in this format: text or json"},
	{"verbose", NULL, 'v', NULL, OPT_LOG_LEVEL(struct armd_options, log_level), "Log more (info); given twice, log everything (debug)"},
	{"shutdown", NULL, 0, NULL, OPT_VALUE(struct armd_options, mode, ARMD_SHUTDOWN),
	 "End every task on this node because the machine is being shut down, and do not start a daemon"},
	{"show-config", NULL, 0, "[WHAT]", OPT_WITH(set_show, NULL),
	 "Print every option of armada.conf with its effective value, or with WHAT changed only those that it sets, and the containment of tasks here, and exit"},
	{"help", NULL, 'h', NULL, OPT_VALUE(struct armd_options, mode, ARMD_HELP), "Print the options and exit"},
	{"version", NULL, 'V', NULL, OPT_VALUE(struct armd_options, mode, ARMD_VERSION), "Print the release and exit"},
};
/* clang-format on */

static const struct opt_table table = {"Options", rows, ARRAY_SIZE(rows)};
static const struct opt_table *const tables[] = {&table, NULL};

int armd_options_parse(int argc, char **argv, struct armd_options *ret_options, struct err *err)
{
	struct armd_options o = {.node.gpus = -1};
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
	free(o->node.labels);
	free(o->node.taints);
	free(o->node.resources);
	*o = (struct armd_options){.node.gpus = -1};
}

void armd_options_help(struct buf *out)
{
	buf_addstr(out, "Usage: armd [OPTION]...\n"
			"The daemon of a node of an Armada cluster.\n\n");
	opt_help(tables, out);
	buf_addstr(out, "\nSee armd(8) and armada.conf(5).\n");
}
