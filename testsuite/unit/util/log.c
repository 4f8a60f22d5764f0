/*
 * Log lines: line feeds and terminal codes in logged text are escaped, so that a user cannot forge
 * lines. Lines of JSON and entries of journald have what a line is about. Repeated lines are counted. Each
 * area has a level.
 */
#define LOG_AREA LOG_AREA_NET
#include "tap/tap.h"
#include "util/log.h"

#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int ends[2];

/* The output since the last call. */
static const char *lines(void)
{
	static char text[16384];
	ssize_t n;

	/* one byte of the test, so that read never blocks */
	if (write(ends[1], "$", 1) != 1)
		bail("pipe");
	n = read(ends[0], text, sizeof(text) - 1);
	if (n < 1)
		bail("pipe");
	text[n - 1] = '\0';
	return text;
}

static int count(const char *text, char c)
{
	int n = 0;

	for (; *text; text++)
		n += *text == c;
	return n;
}

static void check_escapes(void)
{
	const char *got;

	log_notice("a\nb");
	got = lines();
	has_str(got, "a\\x0ab", "a line feed is escaped");
	is_int(count(got, '\n'), 1, "an event is one line");
	log_notice("%s", "\x1b[31mred\x7f\r\b\t");
	got = lines();
	has_str(got, "\\x1b[31mred\\x7f\\x0d\\x08\\x09", "terminal codes are escaped");
	log_notice("%s", "\xc2\x9b[31m");
	has_str(lines(), "\\xc2\\x9b", "control codes beyond ASCII are escaped");
	log_notice("na\xc3\xafve \xe2\x82\xac");
	has_str(lines(), "na\xc3\xafve \xe2\x82\xac", "other letters are written as they are");
	log_notice("%s", "\xff\xfe");
	has_str(lines(), "\\xff\\xfe", "bytes that are not UTF-8 are escaped");
}

static void check_long(void)
{
	char wide[8192];
	const char *got;

	memset(wide, '\n', sizeof(wide));
	wide[sizeof(wide) - 1] = '\0';
	log_notice("%s", wide);
	got = lines();
	is_int(count(got, '\n'), 1, "a long text of line feeds is one line");
	ok(strlen(got) <= 4096, "the line has a bounded length");
	ok(got[strlen(got) - 1] == '\n', "the line ends");
}

static void check_levels(void)
{
	log_debug("hidden");
	is_str(lines(), "", "less important lines are not written");
	log_set_level(LOG_DEBUG);
	log_debug("shown");
	has_str(lines(), " debug: shown\n", "debug lines are written at the debug level");
	is_int(log_level_of("warn"), LOG_WARN, "warn is a level");
	is_int(log_level_of("warning"), LOG_WARN, "warning is the same level");
	is_int(log_level_of("loud"), -1, "an unknown word is not a level");
}

static int64_t now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

static void check_areas(void)
{
	static const char *const net[] = {"net=debug"}, *const back[] = {"net=default"};
	static const char *const bad[] = {"net=debug", "nett=info"}, *const loud[] = {"net=loud"};
	static const char *const all[] = {"warn", "job=info"}, *const none[] = {"all=default"};
	struct err err;

	log_set_level(LOG_NOTICE);
	is_int(log_levels_set(net, 1, &err), 0, "an area gets a level");
	log_debug("of net");
	has_str(lines(), "of net", "lines of the area have it");
	ok(!log_wants(LOG_AREA_JOB, LOG_DEBUG), "other areas keep theirs");
	ok(log_area_is_set(LOG_AREA_NET) && !log_area_is_set(LOG_AREA_JOB), "it is the area's own");
	is_int(log_levels_set(back, 1, &err), 0, "it follows again");
	ok(!log_wants(LOG_AREA_NET, LOG_DEBUG), "the level of all areas");
	ok(log_levels_set(bad, 2, &err) < 0, "an unknown area is refused");
	has_str(err.text, "nett=info: 'nett' is no area of the log; the areas are: main, net, job",
		"the areas are named");
	ok(!log_area_is_set(LOG_AREA_NET), "nothing has changed then");
	ok(log_levels_set(loud, 1, &err) < 0, "an unknown level is refused");
	has_str(err.text, "error, warn, notice, info, debug or default", "the levels are named");
	log_levels_set(all, 2, &err);
	ok(!log_wants(LOG_AREA_NET, LOG_NOTICE) && log_wants(LOG_AREA_JOB, LOG_INFO),
	   "a level alone is for all areas");
	log_levels_set(none, 1, &err);
	log_levels_on_signal(SIGUSR1);
	ok(log_wants(LOG_AREA_SCHED, LOG_DEBUG), "SIGUSR1 sets debug for all areas");
	log_levels_on_signal(SIGUSR2);
	ok(!log_wants(LOG_AREA_SCHED, LOG_INFO), "SIGUSR2 ends that");
}

static void check_repeats(void)
{
	const char *got;

	for (int i = 0; i < 13; i++)
		log_notice("again and again");
	got = lines();
	is_int(count(got, '\n'), 1, "a repeated line is written once");
	log_tick();
	is_str(lines(), "", "its count waits");
	log_notice("another");
	got = lines();
	has_str(got, "notice: last line repeated 12 times\n",
		"the count comes before the next line");
	is_int(count(got, '\n'), 2, "which follows");
	log_notice("another");
	log_tick_at(now_us() + LOG_FOLD_S * INT64_C(1000000));
	has_str(lines(), "last line repeated 1 time\n", "or after a while");
	log_warn("another");
	has_str(lines(), "warn: another", "a line of another level is another line");
}

/* The child of a process with a count does not write the count of its parent. */
static void check_child(void)
{
	const char *got;
	pid_t pid;

	log_notice("of the parent");
	log_notice("of the parent");
	lines();
	pid = fork();
	if (pid == 0) {
		log_notice("of the child");
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	got = lines();
	has_str(got, "of the child", "a child logs");
	ok(!strstr(got, "repeated"), "without the count of its parent");
	log_notice("end");
	has_str(lines(), "repeated 1 time", "which the parent writes");
}

static const struct log_about about = {
	.job = 812, .node = "n3", .queue = "physics", .user = "al\"ice\n"};

static const char *member(const json_t *o, const char *name)
{
	const char *text = json_string_value(json_object_get(o, name));

	return text ? text : "(none)";
}

static void check_json(void)
{
	char wide[2000];
	json_t *o;

	log_set_format(LOG_FORMAT_JSON);
	log_line(&LOG_FROM, LOG_WARN, &about, "job 812: a \"quoted\" \\ line\x1b[1m\xff");
	o = json_loads(lines(), 0, NULL);
	is_str(member(o, "message"), "job 812: a \"quoted\" \\ line\\x1b[1m\\xff",
	       "a line of JSON has the message");
	is_int(json_integer_value(json_object_get(o, "job")), 812, "the number of the job");
	is_str(member(o, "node"), "n3", "the node");
	is_str(member(o, "queue"), "physics", "the queue");
	is_str(member(o, "user"), "al\"ice\\x0a", "the user, escaped");
	is_str(member(o, "area"), "net", "the area");
	is_str(member(o, "level"), "warn", "the level");
	has_str(member(o, "time"), "Z", "the time in UTC");
	json_decref(o);
	memset(wide, '\x02', sizeof(wide));
	wide[sizeof(wide) - 1] = '\0';
	log_notice("%s", wide);
	o = json_loads(lines(), 0, NULL);
	ok(o != NULL, "a long line of control bytes is still JSON");
	json_decref(o);
	log_set_format(LOG_FORMAT_TEXT);
}

/* An entry as journald would get it. */
static const char *entry(int fd)
{
	static char text[16384];
	ssize_t n = recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT);

	text[n < 0 ? 0 : n] = '\0';
	return text;
}

static void check_journal(void)
{
	char path[] = "/tmp/armada-journal-XXXXXX", stream[64];
	struct sockaddr_un here = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	struct stat st;
	const char *got;

	if (!mkdtemp(path) || fd < 0 || fstat(ends[1], &st) < 0)
		bail("a socket");
	snprintf(here.sun_path, sizeof(here.sun_path), "%s/socket", path);
	if (bind(fd, (struct sockaddr *)&here, sizeof(here)) < 0)
		bail("bind");
	snprintf(stream, sizeof(stream), "%llu:%llu", (unsigned long long)st.st_dev,
		 (unsigned long long)st.st_ino);
	setenv("JOURNAL_STREAM", stream, 1);
	setenv("ARMADA_JOURNAL_SOCKET", here.sun_path, 1);
	log_open("testd", ends[1], LOG_NOTICE);
	log_line(&LOG_FROM, LOG_WARN, &about, "job 812: forged\nPRIORITY=0");
	got = entry(fd);
	has_str(got, "PRIORITY=4\n", "an entry of journald has the priority");
	has_str(got, "\nARMADA_JOB=812\n", "the job");
	has_str(got, "\nARMADA_NODE=n3\nARMADA_QUEUE=physics\nARMADA_USER=al\"ice\\x0a\n",
		"node, queue and user");
	has_str(got, "\nSYSLOG_IDENTIFIER=testd\n", "the daemon");
	has_str(got, "\nCODE_FUNC=check_journal\n", "the place in the code");
	has_str(got, "\nMESSAGE=job 812: forged\\x0aPRIORITY=0\n", "no text can forge a field");
	is_str(lines(), "", "nothing is written to the descriptor");
	for (int i = 0; i < 100000 && !log_lost(); i++)
		log_notice("line %d", i);
	ok(log_lost() > 0, "a journald that does not read stops nobody: lines are counted as lost");
	while (*entry(fd))
		;
	log_notice("after");
	has_str(entry(fd), "lines were lost: journald did not take them",
		"the number is said later");
	has_str(entry(fd), "MESSAGE=after", "then lines go on");
	close(fd);
	log_notice("journald is gone");
	has_str(lines(), "<5>testd: journald is gone\n", "without journald the descriptor is used");
	unlink(here.sun_path);
	rmdir(path);
	unsetenv("ARMADA_JOURNAL_SOCKET");
}

int main(void)
{
	unsetenv("JOURNAL_STREAM");
	if (pipe(ends) < 0)
		bail("pipe");
	log_open("testd", ends[1], LOG_NOTICE);
	log_error("plain");
	has_str(lines(), " testd error: plain\n", "a line has its daemon and level");
	check_escapes();
	check_long();
	check_levels();
	check_areas();
	check_repeats();
	check_child();
	check_json();
	setenv("JOURNAL_STREAM", "8:1", 1);
	log_open("testd", ends[1], LOG_NOTICE);
	log_warn("plain");
	is_str(lines(), "<4>testd: plain\n",
	       "a line to another stream of systemd has the priority of syslog instead");
	check_journal();
	return done();
}
