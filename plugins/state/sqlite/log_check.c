/*
 * A check of log.db at a start, without reading all of it.
 *
 * Checksum and chain check all data that a replay reads. A write uses more: the list of free pages, from
 * which it takes pages, and the ends of the tables, where it adds rows. If the list names a page that is
 * in use, the next record overwrites that page. So each page of the list must be marked as free in the map
 * of pages that SQLite keeps for incremental vacuum (https://www.sqlite.org/fileformat2.html, pointer map
 * pages). A page is free in both places or the file is written anew. Rows that are deleted later are
 * checked just before (record_cut).
 */
#include "db.h"
#include "error.h"
#include "log_check.h"
#include "record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	PAGE = 4096,
	ENTRY = 5,                   /* of the map: a type and the number of the parent page */
	MAP_STEP = PAGE / ENTRY + 1, /* a page of the map and the pages that it describes */
	FREE_PAGE = 2,               /* the type */
	LOCK_PAGE = 0x40000000 / PAGE +
		    1, /* never used; a page of the map that falls here is the next one */
	AT_FORMATS = 18,
	FORMAT_WAL = 2,
	AT_PAGES = 28,
	AT_TRUNK = 32,
	AT_FREE = 36,
	INCREMENTAL = 2,
};

struct pages {
	int fd;
	uint32_t count;
	uint8_t *type; /* of each page, by the map; 0 when it was seen in the list */
	uint8_t buf[PAGE];
};

static uint32_t be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static bool read_page(struct pages *p, uint32_t number)
{
	return pread(p->fd, p->buf, PAGE, (off_t)(number - 1) * PAGE) == PAGE;
}

static bool read_map(struct pages *p)
{
	for (uint32_t at = 2; at <= p->count; at += MAP_STEP) {
		uint32_t map = at == LOCK_PAGE ? at + 1 : at;

		if (map < p->count && !read_page(p, map))
			return false;
		for (uint32_t i = 0; i < PAGE / ENTRY && map + 1 + i <= p->count; i++)
			p->type[map + 1 + i] = p->buf[i * ENTRY];
	}
	return true;
}

/* A page of the list, once. */
static bool take_free(struct pages *p, uint32_t number)
{
	if (number < 3 || number > p->count || p->type[number] != FREE_PAGE)
		return false;
	p->type[number] = 0;
	return true;
}

static bool list_is_good(struct pages *p, uint32_t trunk, uint32_t count)
{
	uint32_t seen = 0;

	while (trunk) {
		uint32_t leaves;

		if (!take_free(p, trunk) || !read_page(p, trunk))
			return false;
		seen++;
		trunk = be32(p->buf);
		leaves = be32(p->buf + 4);
		if (leaves > PAGE / 4 - 2)
			return false;
		for (uint32_t i = 0; i < leaves; i++, seen++)
			if (!take_free(p, be32(p->buf + 8 + 4 * i)))
				return false;
	}
	return seen == count;
}

/* The header, and the list of free pages. */
static bool free_is_good(int fd)
{
	struct pages p = {.fd = fd};
	uint32_t trunk, count;
	struct stat st;
	bool good;

	if (fstat(fd, &st) || !read_page(&p, 1))
		return false;
	/* SQLite reads a file of a later format, but refuses to write it. */
	if (p.buf[AT_FORMATS] != FORMAT_WAL || p.buf[AT_FORMATS + 1] != FORMAT_WAL)
		return false;
	p.count = be32(p.buf + AT_PAGES);
	trunk = be32(p.buf + AT_TRUNK);
	count = be32(p.buf + AT_FREE);
	if (!p.count || (uint64_t)p.count * PAGE > (uint64_t)st.st_size)
		return false;
	p.type = calloc((size_t)p.count + 1, 1);
	good = p.type && read_map(&p) && list_is_good(&p, trunk, count);
	free(p.type);
	return good;
}

/* The last row of a table is where the next one goes. */
static int last_row(struct store *s, enum log_stmt stmt, uint64_t *ret_id, struct armada_error *err)
{
	int rc = db_step(&s->log, stmt, "cannot be read", err);

	if (rc < 0)
		return rc;
	*ret_id = rc ? (uint64_t)sqlite3_column_int64(s->log.stmt[stmt], 0) : 0;
	db_reset(&s->log, stmt);
	return 0;
}

static const char *check_ends(struct store *s, uint64_t last, struct armada_error *err)
{
	uint64_t chunks = s->newest.seq ? s->newest.first_chunk + s->newest.chunk_count : 0;
	uint64_t older = s->older.seq ? s->older.first_chunk + s->older.chunk_count : 0;
	uint64_t record = 0, chunk = 0, first = 0;

	if (older > chunks)
		chunks = older;
	if (record_first(s, &first, err) || last_row(s, LOG_RECORD_LAST, &record, err) ||
	    (record && record != last) || first > record)
		return "the table of records is damaged";
	if (last_row(s, LOG_CHUNK_LAST, &chunk, err) || (chunk && chunk + 1 != chunks))
		return "it has chunks of an incomplete snapshot";
	return NULL;
}

int log_check(struct store *s, uint64_t last, const char **ret_why, bool *ret_must,
	      struct armada_error *err)
{
	int64_t vacuum = 0;
	int rc = db_query(&s->log, "PRAGMA auto_vacuum", &vacuum, err);

	if (rc)
		return rc;
	*ret_must = vacuum == INCREMENTAL;
	if (vacuum != INCREMENTAL)
		*ret_why = "it is of a release that could not shrink it";
	else if (!free_is_good(s->log_fd))
		*ret_why = "its header or its list of free pages is damaged";
	else
		*ret_why = check_ends(s, last, err);
	return 0;
}
