/*
 * Writes log lines (log.h). Input: a level, a message, and what it is about. Output: one line on the sink's
 * descriptor or one datagram to journald. A failed write is ignored, and a datagram that journald does not
 * take at once is counted: no line may stop the loop of a daemon.
 *
 * A line that is the same as the last one is only counted, and the count is written before the next line
 * that differs, or after LOG_FOLD_S. A child of a process that logs has a count and a socket of its own.
 */
#include "util/log.h"

#include "util/clock.h"
#include "util/log_format.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define JOURNAL_SOCKET "/run/systemd/journal/socket"

enum { TEXT_MAX = 1536 };

static struct {
	const char *name;
	int fd;
	bool json, priority; /* priority: lines begin with <N>, because journald reads them */
	bool journal;
	uint64_t lost, lost_said;

	pthread_mutex_t lock; /* of everything below */
	pid_t pid;            /* the process that opened the socket */
	int socket;           /* of journald; -1: none */
	char last[TEXT_MAX];
	struct log_from from;
	enum log_level level;
	uint64_t repeated;
	int64_t written_us; /* steady: when the last line, or its count, was written */
} sink = {.name = "armada", .fd = STDERR_FILENO, .lock = PTHREAD_MUTEX_INITIALIZER, .socket = -1};

/* True if journald reads what is written to fd: systemd names its device and inode. */
static bool is_stream(int fd)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long device, inode;
	struct stat st;

	return stream && sscanf(stream, "%llu:%llu", &device, &inode) == 2 && fstat(fd, &st) == 0 &&
	       st.st_dev == (dev_t)device && st.st_ino == (ino_t)inode;
}

/* A socket that other code of the process never sees; -1: lines are written to the descriptor. */
static int open_socket(void)
{
	const char *other = getenv("ARMADA_JOURNAL_SOCKET");
	const char *path = other && *other ? other : JOURNAL_SOCKET;
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd;

	if (strlen(path) >= sizeof(to.sun_path))
		return -1;
	memcpy(to.sun_path, path, strlen(path));
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0) {
		close(fd);
		fd = -1;
	}
	return fd;
}

void log_open(const char *name, int fd, enum log_level max)
{
	sink.name = name;
	sink.fd = fd;
	log_set_level(max);
	sink.priority = getenv("JOURNAL_STREAM") != NULL;
	sink.journal = is_stream(fd);
	sink.pid = getpid();
	if (sink.socket >= 0)
		close(sink.socket);
	sink.socket = sink.journal ? open_socket() : -1;
}

void log_set_format(enum log_format format)
{
	__atomic_store_n(&sink.json, format == LOG_FORMAT_JSON, __ATOMIC_RELAXED);
}

enum log_format log_format_of(const char *word)
{
	return strcmp(word, "json") == 0   ? LOG_FORMAT_JSON
	       : strcmp(word, "text") == 0 ? LOG_FORMAT_TEXT
					   : LOG_FORMAT_UNSET;
}

uint64_t log_lost(void)
{
	return __atomic_load_n(&sink.lost, __ATOMIC_RELAXED);
}

/* A child of fork: its parent's descriptors may be closed, and its parent writes the count. */
static void look_at_process(void)
{
	pid_t pid = getpid();

	if (pid == sink.pid)
		return;
	sink.pid = pid;
	sink.repeated = 0;
	sink.last[0] = '\0';
	sink.socket = sink.journal ? open_socket() : -1;
}

/* False: journald is gone, and the line is to be written to the descriptor. */
static bool send_journal(const struct log_entry *e, char out[LOG_LINE_MAX])
{
	size_t n = log_format_journal(e, out);

	if (send(sink.socket, out, n, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0)
		return true;
	if (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS) {
		__atomic_add_fetch(&sink.lost, 1, __ATOMIC_RELAXED);
		return true;
	}
	close(sink.socket);
	sink.socket = open_socket();
	return sink.socket >= 0 && send(sink.socket, out, n, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
}

static void put(const struct log_from *from, enum log_level level, const struct log_about *about,
		const char *text)
{
	static const struct log_about nothing;
	struct log_entry e = {.daemon = sink.name,
			      .level = level,
			      .from = from,
			      .about = about ? about : &nothing,
			      .text = text};
	bool json = __atomic_load_n(&sink.json, __ATOMIC_RELAXED);
	char out[LOG_LINE_MAX];
	ssize_t done;
	size_t n;

	if (!json && sink.socket >= 0 && send_journal(&e, out))
		return;
	clock_gettime(CLOCK_REALTIME, &e.time);
	n = json ? log_format_json(&e, out) : log_format_text(&e, sink.priority, out);
	done = write(sink.fd, out, n);
	(void)done;
}

/* Write the count of the last line, and the number of lines that journald did not take. */
static void put_counts(int64_t now_us)
{
	char text[128];
	uint64_t lost = log_lost();

	if (sink.repeated) {
		snprintf(text, sizeof(text), "last line repeated %" PRIu64 " time%s", sink.repeated,
			 sink.repeated == 1 ? "" : "s");
		put(&sink.from, sink.level, NULL, text);
		sink.repeated = 0;
		sink.written_us = now_us;
	}
	if (lost == sink.lost_said)
		return;
	snprintf(text, sizeof(text), "%" PRIu64 " lines were lost: journald did not take them",
		 lost - sink.lost_said);
	sink.lost_said = lost;
	put(&LOG_FROM, LOG_WARN, NULL, text);
}

/* A line that comes again after a while is written: its time may matter. */
static bool is_repeated(const struct log_from *from, enum log_level level, const char *text,
			int64_t now_us)
{
	return sink.last[0] && now_us - sink.written_us < (int64_t)LOG_FOLD_S * 1000000 &&
	       sink.level == level && sink.from.area == from->area && strcmp(sink.last, text) == 0;
}

void log_line(const struct log_from *from, enum log_level level, const struct log_about *about,
	      const char *fmt, ...)
{
	int64_t now_us = clock_us(CLOCK_MONOTONIC);
	char text[TEXT_MAX];
	va_list ap;

	if (!log_wants(from->area, level))
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	pthread_mutex_lock(&sink.lock);
	look_at_process();
	if (is_repeated(from, level, text, now_us)) {
		sink.repeated++;
	} else {
		put_counts(now_us);
		memcpy(sink.last, text, strlen(text) + 1);
		sink.from = *from;
		sink.level = level;
		sink.written_us = now_us;
		put(from, level, about, text);
	}
	pthread_mutex_unlock(&sink.lock);
}

void log_tick_at(int64_t now_us)
{
	pthread_mutex_lock(&sink.lock);
	look_at_process();
	if (!sink.repeated || now_us - sink.written_us >= (int64_t)LOG_FOLD_S * 1000000)
		put_counts(now_us);
	pthread_mutex_unlock(&sink.lock);
}

void log_tick(void)
{
	log_tick_at(clock_us(CLOCK_MONOTONIC));
}
