/*
 * Taints and tolerations as text.
 *
 *	taint		key[=value][:effect]	effect: NoSchedule (default) or PreferNoSchedule
 *	toleration	key, key=value, or * for every taint; an effect after it is accepted and ignored
 *
 * The words are those of Kubernetes. NoExecute is refused, since a taint never ends running jobs.
 */
#pragma once

#include "util/err.h"

#include <stdbool.h>

enum { TAINT_WORD = 128 };

struct taint_words {
	char key[TAINT_WORD], value[TAINT_WORD];
	char effect[TAINT_WORD]; /* never empty for a taint */
	bool has_value;
};

int taint_parse(const char *text, struct taint_words *ret_words, struct err *err);
/* The key is empty for "*". */
int toleration_parse(const char *text, struct taint_words *ret_words, struct err *err);
