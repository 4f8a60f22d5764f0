/*
 * The limit of log lines that peers cause (log_peer.h). Input: a peer, a line. Output: the line, or later
 * a line with the number of those that were not written. A minute begins with the first line of a peer. If
 * more than LOG_PEERS peers log, the one whose minute began first is forgotten, and its count joins that
 * of its class: a line for each would let a peer with many addresses write without a limit. The line of a
 * count names the most important level that it hides.
 */
#include "util/log_peer.h"

#include "util/clock.h"
#include "util/plural.h"
#include "util/units.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct minute {
	int64_t begin_us; /* 0: none has begun */
	uint64_t lines, hidden;
	enum log_level level; /* the most important of the hidden lines */
	enum log_area area;   /* of that line */
};

struct peer {
	uint64_t hash;
	char who[LOG_PEER_NAME];
	enum log_class class;
	struct minute minute;
};

static const struct {
	const char *what;
	unsigned times, own_times; /* of log_lines_per_minute: all peers, one peer */
} classes[LOG_CLASSES] = {
	[LOG_STRANGERS] = {"connections that did not authenticate", 10, 1},
	[LOG_USERS] = {"users", 10, 1},
	[LOG_NODES] = {"nodes", 100, 1},
	[LOG_JOBS] = {"jobs", 100, 10},
};

static struct {
	pthread_mutex_t lock;
	unsigned per_minute;
	struct peer peers[LOG_PEERS];
	struct minute all[LOG_CLASSES];
} table = {.lock = PTHREAD_MUTEX_INITIALIZER, .per_minute = 60};

void log_peer_limit(unsigned per_minute)
{
	__atomic_store_n(&table.per_minute, per_minute, __ATOMIC_RELAXED);
}

static uint64_t hash_of(enum log_class class, const char *who)
{
	uint64_t hash = 14695981039346656037U ^ (uint64_t) class; /* FNV-1a */

	for (const char *p = who; *p; p++)
		hash = (hash ^ (uint8_t)*p) * 1099511628211U;
	return hash;
}

/* End a minute: log what it has hidden. */
static void minute_end(struct minute *m, const char *before, const char *who)
{
	struct log_from from = LOG_FROM;

	from.area = m->area;
	if (m->hidden)
		log_line(&from, m->level, NULL,
			 "%" PRIu64 " more such line%s from %s%s in the last %s, not written "
			 "(limits.log_lines_per_minute)",
			 m->hidden, plural(m->hidden, "", "s"), before, who,
			 duration_words(LOG_MINUTE_S * INT64_C(1000000)).text);
	*m = (struct minute){0};
}

static bool is_over(const struct minute *m, int64_t now_us)
{
	return m->begin_us && now_us - m->begin_us >= (int64_t)LOG_MINUTE_S * 1000000;
}

static void hide(struct minute *m, const struct log_peer_line *line)
{
	if (m->hidden++ && line->level >= m->level)
		return;
	m->level = line->level;
	m->area = line->from->area;
}

/* The peer is forgotten: its hidden lines are reported with those of its class. */
static void forget(struct peer *p)
{
	struct minute *all = &table.all[p->class];

	if (!p->minute.hidden)
		return;
	if (!all->hidden || p->minute.level < all->level) {
		all->level = p->minute.level;
		all->area = p->minute.area;
	}
	all->hidden += p->minute.hidden;
}

/* The row of the peer: its own, a free one, or the one that began first. */
static struct peer *peer_of(enum log_class class, const char *who)
{
	uint64_t hash = hash_of(class, who);
	struct peer *best = &table.peers[0];

	for (size_t i = 0; i < LOG_PEERS; i++) {
		struct peer *p = &table.peers[i];

		if (p->minute.begin_us && p->hash == hash && p->class == class)
			return p;
		if (p->minute.begin_us < best->minute.begin_us)
			best = p;
	}
	forget(best);
	best->minute = (struct minute){0};
	best->hash = hash;
	best->class = class;
	snprintf(best->who, sizeof(best->who), "%s", who);
	return best;
}

static void tick(int64_t now_us)
{
	for (size_t i = 0; i < LOG_PEERS; i++)
		if (is_over(&table.peers[i].minute, now_us))
			minute_end(&table.peers[i].minute, "", table.peers[i].who);
	for (size_t i = 0; i < LOG_CLASSES; i++)
		if (is_over(&table.all[i], now_us))
			minute_end(&table.all[i], "other ", classes[i].what);
}

void log_peer_tick_at(int64_t now_us)
{
	pthread_mutex_lock(&table.lock);
	tick(now_us);
	pthread_mutex_unlock(&table.lock);
}

void log_peer_tick(void)
{
	log_peer_tick_at(clock_us(CLOCK_MONOTONIC));
	log_tick();
}

/* May the line be written? It is counted. */
static bool allowed(int64_t now_us, const struct log_peer_line *line, unsigned limit)
{
	struct minute *all = &table.all[line->class];
	struct minute *own = &peer_of(line->class, line->who)->minute;

	if (!own->begin_us)
		own->begin_us = now_us;
	if (!all->begin_us)
		all->begin_us = now_us;
	if (own->lines >= (uint64_t)limit * classes[line->class].own_times) {
		hide(own, line);
		return false;
	}
	own->lines++;
	if (all->lines >= (uint64_t)limit * classes[line->class].times) {
		hide(all, line);
		return false;
	}
	all->lines++;
	return true;
}

void log_peer_at(int64_t now_us, const struct log_peer_line *line, const char *text)
{
	unsigned limit = __atomic_load_n(&table.per_minute, __ATOMIC_RELAXED);

	if (!log_wants(line->from->area, line->level))
		return;
	pthread_mutex_lock(&table.lock);
	tick(now_us);
	if (limit == 0 || allowed(now_us, line, limit))
		log_line(line->from, line->level, line->about, "%s", text);
	pthread_mutex_unlock(&table.lock);
}

void log_peer_line(const struct log_peer_line *line, const char *fmt, ...)
{
	char text[1536];
	va_list ap;

	if (!log_wants(line->from->area, line->level))
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	log_peer_at(clock_us(CLOCK_MONOTONIC), line, text);
}
