/*
 * The two databases as tables: how they are created, the schema that they must have, their statements.
 *
 * The SQL texts of tables and indexes are compared with those of the file, so they must never change. New
 * objects go to the lists `added`.
 */
#include "accounting.h"

#define STR_(x) #x
#define STR(x)  STR_(x)
/* "ARML" and "ARMH". */
#define LOG_APPLICATION_ID     0x41524d4c
#define HISTORY_APPLICATION_ID 0x41524d48

#define META_SQL                                                                                   \
	"CREATE TABLE meta (id INTEGER PRIMARY KEY, value BLOB NOT NULL, crc INTEGER NOT NULL)"
#define META_GET_SQL "SELECT value, crc FROM meta WHERE id = ?1"

#define RECORD_SQL                                                                                 \
	"CREATE TABLE record (seq INTEGER PRIMARY KEY, crc INTEGER NOT NULL, prev BLOB NOT NULL, " \
	"data BLOB NOT NULL)"
#define SNAPSHOT_SQL                                                                               \
	"CREATE TABLE snapshot (seq INTEGER PRIMARY KEY, first_chunk INTEGER NOT NULL, "           \
	"chunks INTEGER NOT NULL, hash BLOB NOT NULL, crc INTEGER NOT NULL)"
#define CHUNK_SQL                                                                                  \
	"CREATE TABLE chunk (id INTEGER PRIMARY KEY, crc INTEGER NOT NULL, data BLOB NOT NULL)"

#define ROW_SQL                                                                                    \
	"CREATE TABLE row (job INTEGER NOT NULL, first_element INTEGER NOT NULL, "                 \
	"attempt INTEGER NOT NULL, last_element INTEGER NOT NULL, state INTEGER NOT NULL, "        \
	"uid INTEGER NOT NULL, user TEXT NOT NULL, queue TEXT NOT NULL, job_set TEXT NOT NULL, "   \
	"name TEXT NOT NULL, nodes TEXT NOT NULL, submit_us INTEGER NOT NULL, "                    \
	"start_us INTEGER NOT NULL, end_us INTEGER NOT NULL, seq INTEGER NOT NULL, "               \
	"row BLOB NOT NULL, PRIMARY KEY (job, first_element, attempt)) WITHOUT ROWID"
#define JOB_SQL                                                                                    \
	"CREATE TABLE job (job INTEGER PRIMARY KEY, seq INTEGER NOT NULL, detail BLOB NOT NULL, "  \
	"script BLOB, env BLOB)"
#define BLOB_SQL "CREATE TABLE blob (hash BLOB NOT NULL UNIQUE, data BLOB NOT NULL)"
/* In a table without rowid every index ends with the primary key, so these return rows in order. */
#define ROW_USER_SQL    "CREATE INDEX row_user ON row (user)"
#define ROW_QUEUE_SQL   "CREATE INDEX row_queue ON row (queue)"
#define ROW_JOB_SET_SQL "CREATE INDEX row_job_set ON row (job_set)"
/* The key is time and queue, so the same sample written again is not added. */
#define SHARE_SQL                                                                                  \
	"CREATE TABLE share (time_us INTEGER NOT NULL, queue TEXT NOT NULL, "                      \
	"seq INTEGER NOT NULL, fairness TEXT NOT NULL, cost REAL NOT NULL, fair REAL NOT NULL, "   \
	"capped REAL NOT NULL, weight REAL NOT NULL, memory REAL NOT NULL, factor REAL NOT NULL, " \
	"PRIMARY KEY (time_us, queue)) WITHOUT ROWID"
/* What the samples of later releases have besides: the same key. */
#define SHARE_USE_SQL                                                                              \
	"CREATE TABLE share_use (time_us INTEGER NOT NULL, queue TEXT NOT NULL, "                  \
	"from_us INTEGER NOT NULL, level REAL NOT NULL, unknown_after INTEGER NOT NULL, "          \
	"PRIMARY KEY (time_us, queue)) WITHOUT ROWID"
#define ROW_END_SQL "CREATE INDEX row_end ON row (end_us)"

/* The account of a row, if it has one. A table of its own, because that of the rows never changes. */
#define ACCOUNT_SQL                                                                                \
	"CREATE TABLE account (account TEXT NOT NULL, job INTEGER NOT NULL, "                      \
	"first_element INTEGER NOT NULL, attempt INTEGER NOT NULL, "                               \
	"PRIMARY KEY (account, job, first_element, attempt)) WITHOUT ROWID"

/*
 * Attempts of elements that wait again. A table of its own, so that a release that does not know them does
 * not take them for ends.
 */
#define ATTEMPT_SQL                                                                                \
	"CREATE TABLE attempt (job INTEGER NOT NULL, element INTEGER NOT NULL, "                   \
	"attempt INTEGER NOT NULL, seq INTEGER NOT NULL, state INTEGER NOT NULL, "                 \
	"user TEXT NOT NULL, queue TEXT NOT NULL, job_set TEXT NOT NULL, name TEXT NOT NULL, "     \
	"account TEXT NOT NULL, row BLOB NOT NULL, PRIMARY KEY (job, element, attempt)) "          \
	"WITHOUT ROWID"

/* The job sets that have events, under short numbers. */
#define EVENT_SET_SQL                                                                              \
	"CREATE TABLE event_set (id INTEGER PRIMARY KEY, queue TEXT NOT NULL, "                    \
	"job_set TEXT NOT NULL, UNIQUE (queue, job_set))"
#define EVENT_SQL                                                                                  \
	"CREATE TABLE event (event_set INTEGER NOT NULL, number INTEGER NOT NULL, "                \
	"time_us INTEGER NOT NULL, job INTEGER NOT NULL, first_element INTEGER NOT NULL, "         \
	"last_element INTEGER NOT NULL, uid INTEGER NOT NULL, kind INTEGER NOT NULL, "             \
	"body BLOB NOT NULL, PRIMARY KEY (event_set, number)) WITHOUT ROWID"
/*
 * All attempts, ordered by their ends, with what they used (accounting.h). The columns that sums need come
 * first. NULL: not known.
 */
#define ACCOUNTING_SQL                                                                              \
	"CREATE TABLE accounting (end_us INTEGER NOT NULL, job INTEGER NOT NULL, "                  \
	"first_element INTEGER NOT NULL, attempt INTEGER NOT NULL, last_element INTEGER NOT NULL, " \
	"start_us INTEGER NOT NULL, eligible_us INTEGER NOT NULL, state INTEGER NOT NULL, "         \
	"lost INTEGER NOT NULL, uid INTEGER NOT NULL, gid INTEGER NOT NULL, "                       \
	"requeued INTEGER NOT NULL, submit_us INTEGER NOT NULL, exit_code INTEGER NOT NULL, "       \
	"exit_signal INTEGER NOT NULL, for_job INTEGER NOT NULL, for_element INTEGER NOT NULL, "    \
	"tasks INTEGER NOT NULL, node_count INTEGER NOT NULL, cpu_milli INTEGER, "                  \
	"memory_bytes INTEGER, gpus INTEGER, cpu_us INTEGER, user_us INTEGER, system_us INTEGER, "  \
	"peak_bytes INTEGER, read_bytes INTEGER, written_bytes INTEGER, user TEXT NOT NULL, "       \
	"account TEXT NOT NULL, queue TEXT NOT NULL, job_set TEXT NOT NULL, name TEXT NOT NULL, "   \
	"class TEXT NOT NULL, reason TEXT NOT NULL, by_user TEXT NOT NULL, "                        \
	"for_queue TEXT NOT NULL, nodes TEXT NOT NULL, resources TEXT NOT NULL, "                   \
	"PRIMARY KEY (end_us, job, first_element, attempt)) WITHOUT ROWID"
#define ACCOUNTING_USER_SQL "CREATE INDEX accounting_user ON accounting (user)"
/* start_us after the key, so that the index has the order of the table. */
#define ACCOUNTING_LONG_SQL                                                                        \
	"CREATE INDEX accounting_long ON accounting (end_us, job, first_element, attempt, "        \
	"start_us) WHERE start_us > 0 AND end_us - start_us > " ACCOUNTING_LONG_US
/*
 * The highest job that has used a script or an environment: retention.c deletes those of no job that is
 * kept.
 */
#define BLOB_USED_SQL                                                                              \
	"CREATE TABLE blob_used (hash BLOB NOT NULL PRIMARY KEY, last_job INTEGER NOT NULL) "      \
	"WITHOUT ROWID"
#define BLOB_USED_JOB_SQL "CREATE INDEX blob_used_job ON blob_used (last_job)"
/* One row at most: how far the rows of an earlier release have been imported (retention.c). */
#define IMPORTED_SQL                                                                               \
	"CREATE TABLE imported (phase INTEGER NOT NULL, job INTEGER NOT NULL, "                    \
	"element INTEGER NOT NULL, attempt INTEGER NOT NULL)"

/* The labels of jobs: of each job the value that its latest attempt had. */
#define JOB_LABEL_SQL                                                                              \
	"CREATE TABLE job_label (job INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, "   \
	"PRIMARY KEY (job, key)) WITHOUT ROWID"

/* In the order of the records that ended them. */
#define ROW_SEQ_SQL     "CREATE INDEX row_seq ON row (seq)"
#define JOB_SEQ_SQL     "CREATE INDEX job_seq ON job (seq)"
#define ATTEMPT_SEQ_SQL "CREATE INDEX attempt_seq ON attempt (seq)"
/* Starts that somebody wants to know of; of a whole array with the attempt 0. */
#define START_SQL                                                                                  \
	"CREATE TABLE start (job INTEGER NOT NULL, element INTEGER NOT NULL, "                     \
	"attempt INTEGER NOT NULL, seq INTEGER NOT NULL, row BLOB NOT NULL, "                      \
	"PRIMARY KEY (job, element, attempt)) WITHOUT ROWID"
#define START_SEQ_SQL "CREATE INDEX start_seq ON start (seq)"
/* The ends that wait are counted up to this number. */
#define ENDS_COUNTED "100000"

#define CREATE_HEAD(id, vacuum)                                                                    \
	"PRAGMA page_size = 4096; PRAGMA auto_vacuum = " vacuum                                    \
	"; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; "                                 \
	"PRAGMA application_id = " STR(id) "; PRAGMA user_version = " STR(                         \
		STATE_SCHEMA_VERSION) "; "
/* journal_size_limit: after a large transaction the WAL becomes smaller again. */
#define SETUP                                                                                      \
	"PRAGMA journal_size_limit = 16777216; PRAGMA trusted_schema = OFF; "                      \
	"PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY; "

static const struct db_object log_objects[] = {
	{"table", "meta", META_SQL},
	{"table", "record", RECORD_SQL},
	{"table", "snapshot", SNAPSHOT_SQL},
	{"table", "chunk", CHUNK_SQL},
};

static const char *const log_stmts[LOG_STMT_COUNT] = {
	[LOG_META] = META_GET_SQL,
	[LOG_BEGIN] = "BEGIN IMMEDIATE",
	[LOG_COMMIT] = "COMMIT",
	[LOG_ROLLBACK] = "ROLLBACK",
	[LOG_RECORD_ADD] = "INSERT INTO record (seq, crc, prev, data) VALUES (?1, ?2, ?3, ?4)",
	[LOG_RECORD_CUT] = "DELETE FROM record WHERE seq <= ?1",
	[LOG_RECORD_FIRST] = "SELECT seq FROM record ORDER BY seq LIMIT 1",
	[LOG_RECORD_LAST] = "SELECT max(seq) FROM record",
	[LOG_RECORD_AFTER] = "SELECT seq, crc, prev, data FROM record WHERE seq > ?1 ORDER BY seq",
	[LOG_SNAPSHOT_ADD] =
		"INSERT OR REPLACE INTO snapshot (seq, first_chunk, chunks, hash, crc) "
		"VALUES (?1, ?2, ?3, ?4, ?5)",
	[LOG_SNAPSHOTS] = "SELECT seq, first_chunk, chunks, hash, crc FROM snapshot "
			  "ORDER BY abs(seq) DESC, seq DESC",
	[LOG_SNAPSHOT_DELETE] = "DELETE FROM snapshot WHERE seq <> ?1 AND seq <> ?2",
	[LOG_CHUNK_ADD] = "INSERT INTO chunk (id, crc, data) VALUES (?1, ?2, ?3)",
	[LOG_CHUNK_LAST] = "SELECT max(id) FROM chunk",
	[LOG_CHUNK_RANGE] = "SELECT id, crc, data FROM chunk WHERE id >= ?1 AND id < ?2 "
			    "ORDER BY id",
	/* All but two ranges: those of the snapshots that are kept. */
	[LOG_CHUNK_DELETE] = "DELETE FROM chunk WHERE NOT (id >= ?1 AND id < ?2) "
			     "AND NOT (id >= ?3 AND id < ?4)",
};

const struct db_spec log_spec = {
	.name = "log.db",
	.application_id = LOG_APPLICATION_ID,
	.create = CREATE_HEAD(LOG_APPLICATION_ID, "INCREMENTAL") META_SQL
	";" RECORD_SQL ";" SNAPSHOT_SQL ";" CHUNK_SQL ";",
	/*
	 * Exclusive mode is set before anything is read: SQLite then keeps the index of the WAL in
	 * its own memory, and no other program can open the file. Checkpoints are explicit, after
	 * the mark.
	 */
	.setup = "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; "
		 "PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; "
		 "PRAGMA cache_size = -4096; " SETUP,
	.objects = log_objects,
	.object_count = sizeof(log_objects) / sizeof(log_objects[0]),
	.stmts = log_stmts,
	.stmt_count = LOG_STMT_COUNT,
};

/* The copy that log_rewrite makes: it is not used before all of it is on the disk. */
const struct db_spec log_copy_spec = {
	.name = "log.db.new",
	.application_id = LOG_APPLICATION_ID,
	.setup = "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = OFF; "
		 "PRAGMA synchronous = OFF; PRAGMA cache_size = -4096; " SETUP,
	.objects = log_objects,
	.object_count = sizeof(log_objects) / sizeof(log_objects[0]),
	.stmts = log_stmts,
	.stmt_count = LOG_STMT_COUNT,
};

static const struct db_object history_objects[] = {
	{"table", "meta", META_SQL},
	{"table", "row", ROW_SQL},
	{"table", "job", JOB_SQL},
	{"table", "blob", BLOB_SQL},
	{"index", "row_user", ROW_USER_SQL},
	{"index", "row_queue", ROW_QUEUE_SQL},
	{"index", "row_job_set", ROW_JOB_SET_SQL},
	{"index", "row_end", ROW_END_SQL},
};

static const char *const put_stmts[PUT_STMT_COUNT] = {
	[PUT_META] = META_GET_SQL,
	[PUT_BEGIN] = "BEGIN IMMEDIATE",
	[PUT_COMMIT] = "COMMIT",
	[PUT_ROLLBACK] = "ROLLBACK",
	[PUT_ROW] = "INSERT INTO row (job, first_element, attempt, last_element, state, uid, user, "
		    "queue, job_set, name, nodes, submit_us, start_us, end_us, seq, row) VALUES "
		    "(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16) "
		    "ON CONFLICT (job, first_element, attempt) DO NOTHING",
	/* Elements of one job may leave memory at different times: the latest detail counts. */
	[PUT_JOB] = "INSERT INTO job (job, seq, detail, script, env) VALUES (?1, ?2, ?3, ?4, ?5) "
		    "ON CONFLICT (job) DO UPDATE SET seq = excluded.seq, detail = excluded.detail, "
		    "script = excluded.script, env = excluded.env WHERE excluded.seq > seq",
	[PUT_BLOB] = "INSERT INTO blob (hash, data) VALUES (?1, ?2) ON CONFLICT (hash) DO NOTHING",
	[PUT_META_SET] = "UPDATE meta SET value = ?2, crc = ?3 WHERE id = ?1",
	[PUT_SHARE] = "INSERT INTO share (time_us, queue, seq, fairness, cost, fair, capped, "
		      "weight, memory, factor) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) "
		      "ON CONFLICT (time_us, queue) DO NOTHING",
	[PUT_SHARES_CUT] = "DELETE FROM share WHERE time_us < ?1",
	[PUT_ACCOUNT] = "INSERT INTO account (account, job, first_element, attempt) "
			"VALUES (?1, ?2, ?3, ?4) "
			"ON CONFLICT (account, job, first_element, attempt) DO NOTHING",
	[PUT_SHARE_USE] =
		("INSERT INTO share_use (time_us, queue, from_us, level, unknown_after) VALUES "
		 "(?1, ?2, ?3, ?4, ?5) ON CONFLICT (time_us, queue) DO NOTHING"),
	[PUT_SHARE_USES_CUT] = "DELETE FROM share_use WHERE time_us < ?1",
	[PUT_ATTEMPT] = "INSERT INTO attempt (job, element, attempt, seq, state, user, queue, "
			"job_set, name, account, row) "
			"VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) "
			"ON CONFLICT (job, element, attempt) DO NOTHING",
	[PUT_EVENT_SET] = "INSERT INTO event_set (queue, job_set) VALUES (?1, ?2) "
			  "ON CONFLICT (queue, job_set) DO NOTHING",
	[PUT_EVENT_SET_ID] = "SELECT id FROM event_set WHERE queue = ?1 AND job_set = ?2",
	[PUT_EVENT] = "INSERT INTO event (event_set, number, time_us, job, first_element, "
		      "last_element, uid, kind, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) "
		      "ON CONFLICT (event_set, number) DO NOTHING",
	[PUT_EVENT_SETS_AFTER] = "SELECT id FROM event_set WHERE id > ?1 ORDER BY id LIMIT 1",
	[PUT_EVENTS_FIRST] = "SELECT number, time_us FROM event WHERE event_set = ?1 "
			     "ORDER BY number LIMIT ?2",
	[PUT_EVENTS_CUT] = "DELETE FROM event WHERE event_set = ?1 AND number <= ?2",
	[PUT_EVENT_SET_CUT] = "DELETE FROM event_set WHERE id = ?1 AND NOT EXISTS "
			      "(SELECT 1 FROM event WHERE event_set = ?1)",
	[PUT_ACCOUNTING] =
		("INSERT INTO accounting VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, "
		 "?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, "
		 "?29, ?30, ?31, ?32, ?33, ?34, ?35, ?36, ?37, ?38, ?39) "
		 "ON CONFLICT (end_us, job, first_element, attempt) DO NOTHING"),
	[PUT_BLOB_USED] = "INSERT INTO blob_used VALUES (?1, ?2) ON CONFLICT (hash) DO UPDATE "
			  "SET last_job = excluded.last_job WHERE excluded.last_job > last_job",
	[PUT_JOB_LABEL] = "INSERT INTO job_label VALUES (?1, ?2, ?3) ON CONFLICT (job, key) DO "
			  "UPDATE SET value = excluded.value WHERE excluded.value <> value",
	[PUT_START] = "INSERT INTO start (job, element, attempt, seq, row) VALUES (?1, ?2, ?3, ?4, "
		      "?5) ON CONFLICT (job, element, attempt) DO NOTHING",
};

static const struct db_object history_added[] = {
	{"table", "share", SHARE_SQL},
	{"table", "account", ACCOUNT_SQL},
	{"table", "share_use", SHARE_USE_SQL},
	{"table", "attempt", ATTEMPT_SQL},
	{"table", "event_set", EVENT_SET_SQL},
	{"table", "event", EVENT_SQL},
	{"table", "accounting", ACCOUNTING_SQL},
	{"index", "accounting_user", ACCOUNTING_USER_SQL},
	{"index", "accounting_long", ACCOUNTING_LONG_SQL},
	{"table", "blob_used", BLOB_USED_SQL},
	{"index", "blob_used_job", BLOB_USED_JOB_SQL},
	{"table", "imported", IMPORTED_SQL},
	{"index", "row_seq", ROW_SEQ_SQL},
	{"index", "job_seq", JOB_SEQ_SQL},
	{"table", "job_label", JOB_LABEL_SQL},
	{"index", "attempt_seq", ATTEMPT_SEQ_SQL},
	{"table", "start", START_SQL},
	{"index", "start_seq", START_SEQ_SQL},
};

#define VIEWS .views = history_views, .view_count = HISTORY_VIEWS

const struct db_spec put_spec = {
	.name = "history.db",
	.application_id = HISTORY_APPLICATION_ID,
	.create = CREATE_HEAD(HISTORY_APPLICATION_ID, "NONE") META_SQL
	";" ROW_SQL ";" JOB_SQL ";" BLOB_SQL ";" ROW_USER_SQL ";" ROW_QUEUE_SQL ";" ROW_JOB_SET_SQL
	";" ROW_END_SQL ";" SHARE_SQL ";" ACCOUNT_SQL ";" SHARE_USE_SQL ";" ATTEMPT_SQL
	";" EVENT_SET_SQL ";" EVENT_SQL ";",
	.setup = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; "
		 "PRAGMA cache_size = -4096; " SETUP,
	.objects = history_objects,
	.object_count = sizeof(history_objects) / sizeof(history_objects[0]),
	.stmts = put_stmts,
	.stmt_count = PUT_STMT_COUNT,
	.added = history_added,
	.added_count = sizeof(history_added) / sizeof(history_added[0]),
	.added_stmts = PUT_STMT_COUNT - PUT_SHARE,
	VIEWS,
};

#define ROW_COLUMNS                                                                                \
	"SELECT job, first_element, last_element, user, queue, job_set, name, state, row FROM row "
/* ?1 first job, ?2 last job, ?3 and ?4 the cursor. */
#define ROW_RANGE                                                                                  \
	"job >= ?1 AND job <= ?2 AND (job, first_element) > (?3, ?4) "                             \
	"ORDER BY job, first_element, attempt"
/* Only rows with an account, which is the last column. CROSS JOIN: the accounts are searched first. */
#define ACCOUNT_COLUMNS                                                                            \
	"SELECT row.job, row.first_element, last_element, user, queue, job_set, name, state, "     \
	"row, account FROM account a CROSS JOIN row USING (job, first_element, attempt) "
#define ACCOUNT_RANGE                                                                              \
	"a.job >= ?1 AND a.job <= ?2 AND (a.job, a.first_element) > (?3, ?4) "                     \
	"ORDER BY a.job, a.first_element, a.attempt"

#define FIND_JOB_SQL                                                                               \
	"SELECT detail, s.data, e.data FROM job LEFT JOIN blob s ON s.hash = job.script "          \
	"LEFT JOIN blob e ON e.hash = job.env WHERE job = ?1"

#define AFTER_END "(seq, job, first_element, attempt) > (?1, ?2, ?3, ?4)"
/*
 * Starts, requeued attempts and ends in one order: an attempt has the code 4 * attempt, and 1 and 2
 * more. Each of the tables gives a page from its index, and the first rows of these are the page of
 * all. ?6 is the mark up to which the history is complete: the tables are not written together.
 */
#define SOME(table, element, code)                                                                 \
	table " INDEXED BY " table "_seq WHERE seq BETWEEN ?1 AND ?6 AND (seq, job, " element      \
	      ", " code ") > (?1, ?2, ?3, ?4)"
#define PAGE(table, element, code)                                                                 \
	"SELECT * FROM (SELECT seq, job, " element " AS element, " code                            \
	" AS code, row FROM " SOME(table, element, code) " ORDER BY seq, job, " element            \
							 ", attempt LIMIT ?5) "
#define COUNT(table, element, code)                                                                \
	"(SELECT count(*) FROM (SELECT 1 FROM " SOME(table, element, code) " LIMIT " ENDS_COUNTED  \
									   "))"
#define EACH(what, between)                                                                        \
	what("start", "element", "attempt * 4")                                                    \
		between what("attempt", "element", "attempt * 4 + 1")                              \
			between what("row", "first_element", "attempt * 4 + 2")

static const char *const find_stmts[FIND_STMT_COUNT] = {
	[FIND_ROWS_ALL] = ROW_COLUMNS "WHERE " ROW_RANGE,
	[FIND_ROWS_USER] = ROW_COLUMNS "INDEXED BY row_user WHERE user = ?5 AND " ROW_RANGE,
	[FIND_ROWS_QUEUE] = ROW_COLUMNS "INDEXED BY row_queue WHERE queue = ?5 AND " ROW_RANGE,
	[FIND_ROWS_JOB_SET] =
		ROW_COLUMNS "INDEXED BY row_job_set WHERE job_set = ?5 AND " ROW_RANGE,
	[FIND_JOB] = FIND_JOB_SQL,
	[FIND_SHARES] = "SELECT time_us, queue, seq, fairness, cost, fair, capped, weight, memory, "
			"factor, from_us, level, unknown_after FROM share "
			"LEFT JOIN share_use USING (time_us, queue) "
			"WHERE time_us >= ?1 AND time_us <= ?2 "
			"ORDER BY time_us DESC, queue DESC",
	[FIND_ROWS_ACCOUNT] = ACCOUNT_COLUMNS "WHERE account = ?5 AND " ACCOUNT_RANGE,
	[FIND_ROWS_ACCOUNTS] = ACCOUNT_COLUMNS "WHERE " ACCOUNT_RANGE,
	/* ?5: the attempt of the cursor */
	[FIND_ATTEMPTS] = "SELECT job, element, element, user, queue, job_set, name, state, row, "
			  "account, attempt FROM attempt WHERE job >= ?1 AND job <= ?2 "
			  "AND (job, element, attempt) > (?3, ?4, ?5) "
			  "ORDER BY job, element, attempt",
	[FIND_EVENTS] = "SELECT number, time_us, job, first_element, last_element, uid, kind, body "
			"FROM event WHERE event_set = (SELECT id FROM event_set "
			"WHERE queue = ?1 AND job_set = ?2) AND number >= ?3 "
			"ORDER BY number LIMIT ?4",
	[FIND_EVENT_RANGE] = "SELECT (SELECT min(number) FROM event WHERE event_set = id), "
			     "(SELECT max(number) FROM event WHERE event_set = id) "
			     "FROM event_set WHERE queue = ?1 AND job_set = ?2",
	[FIND_EVENT_SET] = "SELECT queue, job_set FROM event_set "
			   "WHERE (queue, job_set) > (?1, ?2) ORDER BY queue, job_set LIMIT 1",
	[FIND_ENDS] = "SELECT seq, job, first_element, attempt, row FROM row INDEXED BY row_seq "
		      "WHERE " AFTER_END " ORDER BY seq, job, first_element, attempt LIMIT ?5",
	[FIND_ENDS_COUNT] = "SELECT count(*) FROM (SELECT 1 FROM row INDEXED BY row_seq "
			    "WHERE " AFTER_END " LIMIT " ENDS_COUNTED ")",
	[FIND_ENDED_JOBS] = "SELECT seq, job, 0, 0, detail FROM job INDEXED BY job_seq "
			    "WHERE (seq, job) > (?1, ?2) ORDER BY seq, job LIMIT ?5",
	[FIND_ENDED_JOBS_COUNT] = "SELECT count(*) FROM (SELECT 1 FROM job INDEXED BY job_seq "
				  "WHERE (seq, job) > (?1, ?2) LIMIT " ENDS_COUNTED ")",
	[FIND_ALL_ENDS] = EACH(PAGE, "UNION ALL ") "ORDER BY 1, 2, 3, 4 LIMIT ?5",
	[FIND_ALL_ENDS_COUNT] = "SELECT " EACH(COUNT, " + "),
};

const struct db_spec find_spec = {
	.name = "history.db",
	.application_id = HISTORY_APPLICATION_ID,
	.setup = "PRAGMA query_only = ON; PRAGMA cache_size = -4096; " SETUP,
	.objects = history_objects,
	.object_count = sizeof(history_objects) / sizeof(history_objects[0]),
	.stmts = find_stmts,
	.stmt_count = FIND_STMT_COUNT,
	.added = history_added,
	.added_count = sizeof(history_added) / sizeof(history_added[0]),
	.added_stmts = FIND_STMT_COUNT - FIND_SHARES,
	VIEWS,
};

/* Its statements are made for each query. */
const struct db_spec accounts_spec = {
	.name = "history.db",
	.application_id = HISTORY_APPLICATION_ID,
	.setup = "PRAGMA query_only = ON; PRAGMA cache_size = -16384; " SETUP,
	.objects = history_objects,
	.object_count = sizeof(history_objects) / sizeof(history_objects[0]),
	VIEWS,
};
