/*
 * Log lines that peers cause: their number in a minute is limited for each peer and for a class,
 * the others are counted, and many peers need no more memory.
 */
#include "tap/tap.h"
#include "util/log_peer.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static FILE *sink;
static const int64_t minute_us = (int64_t)LOG_MINUTE_S * 1000000;

/* The lines since the last call, and the last one. */
static unsigned lines(char last[1024])
{
	unsigned n = 0;

	last[0] = '\0';
	clearerr(sink);
	while (fgets(last, 1024, sink))
		n++;
	return n;
}

/* Each line differs from the one before it: the same line would only be counted. */
static void say(int64_t now_us, enum log_class class, const char *who, enum log_level level,
		const char *text)
{
	static const struct log_from from = {"test", "test", 1, LOG_AREA_MAIN};
	const struct log_peer_line line = {&from, class, who, level, NULL};
	static unsigned number;
	char numbered[128];

	snprintf(numbered, sizeof(numbered), "%s %u", text, number++);
	log_peer_at(now_us, &line, numbered);
}

static void check_one(void)
{
	int64_t now = 1000000;
	char last[1024];

	for (int i = 0; i < 1000; i++)
		say(now + i, LOG_USERS, "uid 1", LOG_WARN, "bad");
	is_int(lines(last), 60, "a peer causes 60 lines at most");
	say(now, LOG_USERS, "uid 2", LOG_NOTICE, "from another");
	is_int(lines(last), 1, "another peer has lines of its own");
	has_str(last, "from another", "and they are written");
	say(now, LOG_NODES, "uid 1", LOG_NOTICE, "from a node");
	is_int(lines(last), 1, "a name in another class is another peer");
	say(now, LOG_USERS, "uid 1", LOG_DEBUG, "quiet");
	log_peer_tick_at(now + minute_us);
	is_int(lines(last), 1, "after the minute there is one line about the rest");
	has_str(last, "warn: 940 more such lines from uid 1 in the last 1 min",
		"with their number");
	say(now + minute_us, LOG_USERS, "uid 1", LOG_WARN, "bad");
	is_int(lines(last), 1, "in the next minute its lines are written again");
	log_peer_tick_at(now + 3 * minute_us);
	is_int(lines(last), 0, "a peer that was not limited is not counted");
}

static void check_class(void)
{
	int64_t now = 10 * minute_us;
	char last[1024], who[32];

	for (int i = 0; i < 100000; i++) {
		snprintf(who, sizeof(who), "10.0.%d.%d", i / 256, i % 256);
		say(now, LOG_STRANGERS, who, LOG_WARN, "refused");
	}
	is_int(lines(last), 600, "all peers of a class cause 600 lines at most");
	say(now, LOG_USERS, "uid 1", LOG_WARN, "bad");
	is_int(lines(last), 1, "the other classes have lines of their own");
	log_peer_tick_at(now + minute_us);
	is_int(lines(last), 1, "one line for all peers of the class");
	has_str(last, "99400 more such lines from other connections that did not authenticate",
		"with the number of lines that no peer's own limit has hidden");
}

/* Peers that are forgotten do not cause a line each. */
static void check_forgotten(void)
{
	int64_t now = 20 * minute_us;
	char last[1024], who[32];

	for (int i = 0; i < 3000; i++) {
		snprintf(who, sizeof(who), "10.1.%d.%d", i / 256, i % 256);
		for (int k = 0; k < 70; k++)
			say(now + i, LOG_STRANGERS, who, LOG_WARN, "refused");
	}
	is_int(lines(last), 600, "peers with many addresses cause 600 lines at most");
	log_peer_tick_at(now + 3000 + minute_us);
	ok(lines(last) <= LOG_PEERS + 1, "then a line for each peer that is remembered, and one");
}

/* Lines about the jobs of a user: ten times as many as of a user. */
static void check_jobs(void)
{
	int64_t now = 30 * minute_us;
	char last[1024];

	for (int i = 0; i < 1000; i++)
		say(now, LOG_JOBS, "jobs of alice", LOG_INFO, "ended");
	is_int(lines(last), 0, "lines below the level are not written");
	for (int i = 0; i < 1000; i++)
		say(now, LOG_JOBS, "jobs of alice", LOG_NOTICE, "ended");
	is_int(lines(last), 600, "the jobs of a user cause 600 lines at most");
	log_peer_tick_at(now + minute_us);
	has_str((lines(last), last), "400 more such lines from jobs of alice",
		"the rest is counted");
}

static void check_setting(void)
{
	int64_t now = 20 * minute_us;
	char last[1024];

	log_peer_limit(2);
	for (int i = 0; i < 3; i++)
		say(now, LOG_USERS, "uid 1", LOG_WARN, "bad");
	is_int(lines(last), 2, "the limit can be set");
	log_peer_tick_at(now + minute_us);
	has_str((lines(last), last), "1 more such line from uid 1", "one line is a line");
	log_peer_limit(0);
	for (int i = 0; i < 5000; i++)
		say(now + minute_us, LOG_USERS, "uid 1", LOG_WARN, "bad");
	is_int(lines(last), 5000, "without a limit every line is written");
}

int main(void)
{
	char path[] = "/tmp/armada-log-XXXXXX";
	int fd = mkstemp(path);

	if (fd < 0 || !(sink = fopen(path, "re")))
		bail("a file for the log");
	unlink(path);
	unsetenv("JOURNAL_STREAM");
	fcntl(fd, F_SETFL, O_APPEND);
	log_open("testd", fd, LOG_NOTICE);
	check_one();
	check_class();
	check_forgotten();
	check_jobs();
	check_setting();
	fclose(sink);
	close(fd);
	return done();
}
