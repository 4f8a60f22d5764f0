/* The file of the history: it is opened, and set aside and begun anew when it is damaged. */
#pragma once

#include "sqlite.h"

/*
 * Scan the WAL, open all connections and check schema and meta table; nothing is written. Returns a
 * negative errno if the file cannot be used; then the connections are closed.
 */
int history_open(struct store *s, int64_t busy_us, struct armada_error *err);
/* True if an error of the history means that its file is missing or damaged, so that a new one is due. */
bool history_is_damage(int rc);
/*
 * Rename the file and its WAL to history.db.damaged-TIME, keep the newest three of these, and begin a new
 * file that counts as complete up to record seq. The locks of both readers are held. why: what is wrong,
 * for the log.
 */
int history_replace(struct store *s, uint64_t seq, const char *why, struct armada_error *err);
/* 0, or an error if a damaged file could not be replaced yet. */
int history_ready(const struct db *db, struct armada_error *err);
/*
 * After a failed write: if the file is damaged, replace it and return true, so that the write can be
 * repeated. Called by the thread that writes.
 */
bool history_mend(struct store *s, int rc, struct armada_error *err);
/* After a write: write the WAL back if it is large, without waiting for readers. */
void history_checkpoint(struct store *s);
/* Gives the files beside history.db the group of history.db. */
void history_share_group(const struct store *s);
/* After a read: log damage, once. It answers this query with an error; others may still be answered. */
void history_report(struct store *s, int rc, const struct armada_error *err);
