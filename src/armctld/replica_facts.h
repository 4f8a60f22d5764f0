/*
 * What a controller tells the others about itself: its order key, release and configuration, as lines of
 * text.
 */
#pragma once

#include "armctld/orderkey.h"
#include "conf/conf.h"
#include "util/buf.h"

void replica_facts(const struct conf *conf, const struct order_key *key, struct buf *ret_text);
/* In words, what other facts have different, or ret->text is "". ret_key: the order key is another one. */
void replica_facts_compare(const struct buf *ours, const char *theirs, size_t len, bool *ret_key,
			   struct err *ret);

/* What the history of the controller lacks ("": nothing), which is compared with nothing. */
void replica_facts_add_history(struct buf *text, const char *history);
void replica_facts_history(const char *facts, size_t len, char *ret_text, size_t size);
