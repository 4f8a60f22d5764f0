/*
 * A hostile client of a controller, and an honest one beside it: what the attack costs the honest one and the
 * controller. README.md has the attacks and examples.
 *
 *	hostile [OPTION...] ATTACK... | all
 *
 *	--pid PID         of armctld: its memory is read from /proc (required)
 *	--address ADDR    of the attack, host:port or /path; default: the Unix socket of $ARMADA_CONF
 *	--honest ADDR     of the honest client; the same default
 *	--connections N   of each attack, in place of its own number
 *	--requests N      of each connection, in place of the attack's own number
 *	--seconds S       the attack stops after this time (default 10)
 *	--settle S        then the honest client goes on for this time (default 2)
 *	--uid UID         of the hostile client (root only); default: the caller's
 *
 * Output: a head, and one line for each attack. Exit status: 0 if the controller lives and answered every
 * honest request; 1 otherwise.
 *
 * The attack runs in a process of its own. Caveat: both clients share the machine with the controller, so the
 * honest times contain what the hostile client uses of the processors.
 */
#include "hostile/honest.h"

#include <getopt.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct settings {
	pid_t pid;
	const char *address, *honest;
	unsigned connections, requests; /* 0: those of the attack */
	double seconds, settle;
	uid_t uid;
};

static int usage(void)
{
	fprintf(stderr,
		"usage: hostile --pid PID [--address ADDR] [--honest ADDR] [--connections N]\n"
		"               [--requests N] [--seconds S] [--settle S] [--uid UID] ATTACK... | all\n");
	for (const struct verb *v = verbs; v->name; v++)
		fprintf(stderr, "  %-10s %s\n", v->name, v->help);
	return 2;
}

static const struct verb *find(const char *name)
{
	const struct verb *v = verbs;

	while (v->name && strcmp(v->name, name) != 0)
		v++;
	return v->name ? v : NULL;
}

static void become(uid_t uid)
{
	if (uid != geteuid() && (setgroups(0, NULL) || setgid(uid) || setuid(uid))) {
		perror("hostile: --uid");
		exit(1);
	}
}

static struct attack attack_of(const struct settings *s, const struct verb *v, struct report *r)
{
	return (struct attack){
		.verb = v,
		.report = r,
		.connections = s->connections ? s->connections : v->connections,
		.requests = s->requests ? s->requests : v->requests,
		.seconds = s->seconds,
	};
}

static void head(void)
{
	printf("%-9s %6s %8s %8s %8s %8s %6s %8s %8s %8s %5s %7s %7s %7s %9s %9s  %s\n", "attack",
	       "conns", "requests", "before", "highest", "after", "asked", "p50_ms", "p99_ms",
	       "worst_ms", "lost", "opened", "refused", "closed", "answered", "errors",
	       "last-reason");
	fflush(stdout);
}

static void line(const struct attack *a, const struct figures *f)
{
	const struct report *r = a->report;

	printf("%-9s %6u %8u %8.1f %8.1f %8.1f %6u %8.1f %8.1f %8.1f %5u %7lu %7lu %7lu %9lu %9lu  %s\n",
	       a->verb->name, a->connections, a->requests, f->before_mb, f->highest_mb, f->after_mb,
	       f->asked, f->p50_ms, f->p99_ms, f->worst_ms, f->lost, r->opened, r->refused,
	       r->closed, r->answered, r->errors, r->why[0] ? r->why : "-");
	fflush(stdout);
}

/* True if the controller lives and every honest request was answered. */
static bool one(const struct settings *s, const struct verb *v)
{
	struct report *r =
		mmap(NULL, sizeof(*r), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct attack a = attack_of(s, v, r);
	struct target t;
	struct figures f;
	int status = 0;
	pid_t child;

	if (r == MAP_FAILED || (child = fork()) < 0) {
		perror("hostile");
		exit(1);
	}
	target_open(&t, child == 0 ? s->address : s->honest);
	if (child == 0) {
		become(s->uid);
		a.target = &t;
		attack_run(&a);
		_exit(0);
	}
	honest_run(&t, r, v, child, s->pid, s->settle, &f);
	waitpid(child, &status, 0);
	line(&a, &f);
	target_close(&t);
	munmap(r, sizeof(*r));
	return status == 0 && f.lost == 0 && f.after_mb > 0;
}

static int options(int argc, char **argv, struct settings *s)
{
	static const struct option known[] = {
		{"pid", required_argument, NULL, 'p'},
		{"honest", required_argument, NULL, 'h'},
		{"address", required_argument, NULL, 'a'},
		{"connections", required_argument, NULL, 'c'},
		{"requests", required_argument, NULL, 'r'},
		{"seconds", required_argument, NULL, 's'},
		{"settle", required_argument, NULL, 't'},
		{"uid", required_argument, NULL, 'u'},
		{NULL, 0, NULL, 0},
	};
	int c;

	*s = (struct settings){.seconds = 10, .settle = 2, .uid = geteuid()};
	while ((c = getopt_long(argc, argv, "", known, NULL)) != -1) {
		switch (c) {
		case 'p':
			s->pid = (pid_t)atol(optarg);
			break;
		case 'h':
			s->honest = optarg;
			break;
		case 'a':
			s->address = optarg;
			break;
		case 'c':
			s->connections = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 'r':
			s->requests = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 's':
			s->seconds = atof(optarg);
			break;
		case 't':
			s->settle = atof(optarg);
			break;
		case 'u':
			s->uid = (uid_t)strtoul(optarg, NULL, 10);
			break;
		default:
			return -1;
		}
	}
	return s->pid > 0 && optind < argc ? 0 : -1;
}

int main(int argc, char **argv)
{
	struct settings s;
	bool well = true, all;

	if (options(argc, argv, &s) < 0)
		return usage();
	all = strcmp(argv[optind], "all") == 0;
	for (int i = optind; !all && i < argc; i++)
		if (!find(argv[i]))
			return usage();
	head();
	for (const struct verb *v = verbs; all && v->name; v++)
		well = one(&s, v) && well;
	for (int i = optind; !all && i < argc; i++)
		well = one(&s, find(argv[i])) && well;
	return well ? 0 : 1;
}
