#include "config.h"

#include "armd/node.h"
#include "armd/shutdown.h"
#include "util/log_peer.h"
#include "util/notify.h"
#include "util/visible.h"

#include <stdio.h>
#include <unistd.h>

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

static void on_ready(void *arg)
{
	const struct node *n = arg;

	log_notice("node %s, spool %s, controllers: %s%s", n->launcher.node_name, n->spool,
		   n->network.controllers[0], n->network.controller_count > 1 ? " ..." : "");
	notify_systemd("READY=1");
}

static int end_tasks(const struct node *n)
{
	struct err err;

	if (shutdown_run(n->spool, &err) == 0)
		return 0;
	log_error("%s", err.text);
	return EXIT_FAILED;
}

static int serve(struct node *n)
{
	int status;

	if (n->agent_uid == 0)
		log_warn("agent_user is root: the network process runs as root");
	n->launcher.on_ready = on_ready;
	status = launcher_main(&n->launcher);
	log_notice("stopped; tasks continue");
	return status;
}

/* The containments are comments: they follow from the machine, not from the file alone. */
static int show_config(const struct node *n, bool changed)
{
	CLEANUP_BUF struct buf text = {0};

	conf_show(n->conf, changed, &text);
	buf_addf(&text, "# cpu_containment on this machine, without another armd: %s\n", n->cpus);
	buf_addf(&text, "# containment on this machine: %s%s%s\n", n->contain.desc->name,
		 n->not_limited[0] ? ", not limited: " : "", n->not_limited);
	fwrite(text.data, 1, text.len, stdout);
	return 0;
}

static int run(const struct armd_options *o)
{
	struct node n;
	struct err err;
	int level, status;

	log_open("armd", STDERR_FILENO, o->log_level ? (enum log_level)o->log_level : LOG_NOTICE);
	if (node_init(&n, o, &err) < 0) {
		log_error("%s", err.text);
		node_done(&n);
		return EXIT_FAILED;
	}
	level = o->log_level ? o->log_level : log_level_of(n.conf->log_level);
	if (level > 0)
		log_set_level((enum log_level)level);
	log_set_format(o->log_format ? (enum log_format)o->log_format
				     : log_format_of(n.conf->log_format));
	log_peer_limit((unsigned)n.conf->limits.log_lines);
	status = o->mode == ARMD_SHUTDOWN ? end_tasks(&n)
		 : o->mode == ARMD_SHOW   ? show_config(&n, o->changed)
					  : serve(&n);
	node_done(&n);
	return status;
}

static void show_help(void)
{
	CLEANUP_BUF struct buf text = {0};

	armd_options_help(&text);
	fwrite(text.data, 1, text.len, stdout);
}

int main(int argc, char **argv)
{
	struct armd_options o;
	struct err err;
	int status = 0;

	if (armd_options_parse(argc, argv, &o, &err) < 0) {
		visible_complain("armd: error", err.text);
		return EXIT_USAGE;
	}
	if (o.mode == ARMD_HELP)
		show_help();
	else if (o.mode == ARMD_VERSION)
		puts("armd (Armada) " PACKAGE_VERSION);
	else
		status = run(&o);
	armd_options_done(&o);
	return status;
}
