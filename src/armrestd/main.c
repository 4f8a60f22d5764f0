/*
 * armrestd: the gateway from HTTP to the controller. Input: the command line and armada.conf. Output: an exit
 * code. It serves until SIGTERM or SIGINT.
 */
#include "config.h"

#include "armrestd/metrics.h"
#include "armrestd/rest.h"
#include "client/resources.h"
#include "cmd/actl/changes.h"
#include "util/log.h"
#include "util/mem.h"
#include "util/notify.h"
#include "util/options.h"
#include "util/rlimits.h"
#include "util/visible.h"

#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum {
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	STOP_HELP = OPT_ERRNO_LEAST - 1,
	STOP_VERSION = STOP_HELP - 1
};

struct arguments {
	const char *conf_file;
	int level, format;
};

static const struct opt rows[] = {
	{"config", NULL, 'f', "FILE", OPT_TEXT(struct arguments, conf_file),
	 "Read FILE instead of $ARMADA_CONF or " ARMADA_SYSCONFDIR "/armada.conf"},
	{"log-level", NULL, 0, "LEVEL", OPT_LOG_LEVEL(struct arguments, level),
	 "Log messages up to LEVEL: error, warn, notice, info or debug"},
	{"log-format", NULL, 0, "FORMAT", OPT_LOG_FORMAT(struct arguments, format),
	 "Log in this format: text or json"},
	{"verbose", NULL, 'v', NULL, OPT_LOG_LEVEL(struct arguments, level),
	 "Log more (info); given twice, log everything (debug)"},
	{"help", NULL, 'h', NULL, OPT_STOP(STOP_HELP), "Print the options and exit"},
	{"version", NULL, 'V', NULL, OPT_STOP(STOP_VERSION), "Print the release and exit"},
};

static const struct opt_table table = {"Options", rows, ARRAY_SIZE(rows)};
static const struct opt_table *const tables[] = {&table, NULL};

static void show_help(void)
{
	CLEANUP_BUF struct buf text = {0};

	buf_addstr(&text, "Usage: armrestd [option...]\nServe the controller over HTTP.\n\n");
	opt_help(tables, &text);
	fwrite(text.data, 1, text.len, stdout);
}

static void set_log(const struct arguments *a, const struct conf *conf)
{
	int level = a->level ? a->level : log_level_of(conf->log_level);

	if (level > 0)
		log_set_level((enum log_level)level);
	log_set_format(a->format ? (enum log_format)a->format : log_format_of(conf->log_format));
}

/* Each connection, stream and session has a descriptor. */
static void allow_files(const struct conf *c)
{
	enum { OWN = 64 };
	uint64_t files = rlimit_raise_files();
	uint64_t needed =
		(uint64_t)(c->rest.connections + c->rest.streams + c->rest.sessions) + OWN;

	if (needed > files)
		log_notice("rest.connections, rest.streams and rest.sessions need %" PRIu64
			   " open files, but at most %" PRIu64
			   " may be open: requests beyond are refused",
			   needed, files);
}

/* Waits for a signal to end; the threads of the listeners have these signals blocked. */
static void wait_for_end(const sigset_t *ends)
{
	int number = 0;

	notify_systemd("READY=1");
	sigwait(ends, &number);
	log_notice("stopped by %s", number == SIGINT ? "SIGINT" : "SIGTERM");
}

static int serve(struct rest *r, const struct arguments *a)
{
	struct err err = {""};
	sigset_t ends;
	int rc;

	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	pthread_sigmask(SIG_BLOCK, &ends, NULL);
	signal(SIGPIPE, SIG_IGN);
	rc = connection_new(&r->own, a->conf_file, &err);
	if (rc == 0) {
		r->conf = connection_conf(r->own);
		set_log(a, r->conf);
		allow_files(r->conf);
		r->users = users_new(r);
		r->metrics = metrics_new(r);
		rc = rest_start(r, &err);
	}
	if (rc == 0)
		wait_for_end(&ends);
	else
		log_error("%s", err.text);
	rest_stop(r);
	users_free(r->users);
	metrics_free(r->metrics);
	connection_free(r->own);
	return rc < 0 ? EXIT_FAILED : 0;
}

int main(int argc, char **argv)
{
	CLEANUP_FREE const char **operands = NULL;
	struct arguments a = {0};
	struct rest r = {.stop_fd = -1};
	struct err err;
	size_t count = 0;
	int rc = opt_parse(tables, argc, argv, &a, &operands, &count, &err);

	if (rc == STOP_HELP || rc == STOP_VERSION) {
		if (rc == STOP_HELP)
			show_help();
		else
			puts("armrestd (Armada) " PACKAGE_VERSION);
		return 0;
	}
	if (rc == 0 && count)
		rc = err_set(&err, -EXIT_USAGE, "%s: armrestd takes options only", operands[0]);
	if (rc < 0) {
		visible_complain("armrestd: error", err.text);
		return EXIT_USAGE;
	}
	/* a token in the environment is not the gateway's */
	unsetenv("ARMADA_TOKEN");
	umask(022);
	log_open("armrestd", STDERR_FILENO, a.level ? (enum log_level)a.level : LOG_NOTICE);
	if (sodium_init() < 0)
		return EXIT_FAILED;
	json_object_seed(0);
	client_learns_resources();
	changes_prepare();
	return serve(&r, &a);
}
