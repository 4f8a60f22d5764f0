/*
 * LOG_LEVELS (log_levels.h). Input: words as in "net=debug". Output: the new levels, LOG_LEVELS_REPLY with
 * a row for each area, or an error that names the word.
 */
#include "armctld/log_levels.h"

#include "util/log.h"
#include "util/mem.h"

enum { EXIT_USAGE = 2 };

static void note(const struct effect *e, const Armada__LogLevelsRequest *m)
{
	CLEANUP_BUF struct buf words = {0};

	for (size_t i = 0; i < m->n_set; i++)
		buf_addf(&words, "%s%s", i ? " " : "", m->set[i]);
	log_notice("levels of the log set by %s: %s", e->text, (char *)words.data);
}

static void send_levels(struct ctld *c, const struct effect *e)
{
	Armada__LogAreaRow rows[LOG_AREAS], *list[LOG_AREAS];
	Armada__LogLevelsReply reply = ARMADA__LOG_LEVELS_REPLY__INIT;
	CLEANUP_BUF struct buf packed = {0};

	for (size_t i = 0; i < LOG_AREAS; i++) {
		enum log_area area = (enum log_area)i;

		list[i] = &rows[i];
		armada__log_area_row__init(list[i]);
		rows[i].area = (char *)log_area_word(area);
		rows[i].level = (char *)log_level_word(log_level_of_area(area));
		rows[i].own = log_area_is_set(area);
		rows[i].contents = (char *)log_area_contents(area);
	}
	reply.rows = list;
	reply.n_rows = LOG_AREAS;
	msg_pack(&reply, &packed);
	sessions_send(c->sessions, e->conn, MSG_LOG_LEVELS_REPLY, e->request, packed.data,
		      packed.len);
}

void log_levels_query(struct ctld *c, const struct effect *e)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	const Armada__LogLevelsRequest *m =
		msg_unpack_own(&armada__log_levels_request__descriptor, e->body, e->len, arena);
	struct err err;

	if (log_levels_set((const char *const *)m->set, m->n_set, &err) < 0) {
		sessions_error(c->sessions, e->conn, e->request, EXIT_USAGE, err.text);
		return;
	}
	if (m->n_set)
		note(e, m);
	send_levels(c, e);
}
