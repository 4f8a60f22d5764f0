/*
 * Taints and tolerations as people write them.
 *
 *	taint		key[=value][:effect]	effect: NoSchedule (default) or PreferNoSchedule
 *	toleration	key, key=value, or * for every taint; an effect behind it is read and changes nothing
 *
 * The words are Kubernetes'. NoExecute is refused: a taint never ends what runs.
 */
#pragma once

#include "util/err.h"

#include <stdbool.h>

enum { TAINT_WORD = 128 };

struct taint_words {
	char key[TAINT_WORD], value[TAINT_WORD];
	char effect[TAINT_WORD]; /* of a taint never empty */
	bool has_value;
};

int taint_parse(const char *text, struct taint_words *ret_words, struct err *err);
/* The key is empty for "*". */
int toleration_parse(const char *text, struct taint_words *ret_words, struct err *err);
