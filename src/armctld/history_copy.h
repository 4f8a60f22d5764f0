/*
 * Copies to the history what this controller lacks, from other controllers.
 *
 * A controller that begins with a snapshot has no rows of the records before it, if its history does not
 * reach it: a new controller, one that was away for long, and one whose history.db was damaged. A thread asks
 * the leader, and then the others, page by page (history_page.h). What is missing, and how far the copy is,
 * survives a restart (history_gap.h). A history that is complete up to a record is good for a part, too. When
 * all other controllers have answered and none has more, the rest counts as lost, which the log says.
 */
#pragma once

#include "armctld/history.h"
#include "armctld/orderkey.h"
#include "conf/conf.h"
#include <armada/auth.h>

struct history_copy;

/* Everything is borrowed until history_copy_free. The functions may be called by the thread. */
struct history_copy_config {
	const struct conf *conf;
	const char *host;
	const struct armada_auth_ops *auth;
	void *auth_handle;
	const struct order_key *key;
	struct history *history;
	/* The address of the leader; "": not known. */
	void (*leader)(void *arg, char ret_address[ARMADA_REPLICA_ADDRESS_MAX + 1]);
	/* Takes a sentence for administrators that says which rows are missing; "": no row is. */
	void (*note)(void *arg, const char *text);
	void *arg;
};

/*
 * The history is complete up to the record `complete`, and the log that was read began after `begins`.
 * *ret_copy is NULL if nothing is missing.
 */
int history_copy_new(struct history_copy **ret_copy, const struct history_copy_config *config,
		     uint64_t complete, uint64_t begins, struct err *err);
void history_copy_free(struct history_copy *h);
