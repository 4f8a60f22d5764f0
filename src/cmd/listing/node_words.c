/* Words that change labels and taints of nodes (node_words.h). Input: words. Output: lists of the request. */
#include "cmd/listing/node_words.h"

#include "conf/taint.h"

#include <errno.h>
#include <string.h>

static Armada__Label *label_of(const char *word, struct arena *arena, struct err *err)
{
	const char *equals = strchr(word, '=');
	Armada__Label *l;

	if (!equals || equals == word) {
		err_set(err, -EINVAL,
			"'%.60s': expected KEY=VALUE to set a label, KEY- to remove it", word);
		return NULL;
	}
	l = arena_alloc(arena, sizeof(*l));
	armada__label__init(l);
	l->key = arena_printf(arena, "%.*s", (int)(equals - word), word);
	l->value = arena_strdup(arena, equals + 1);
	return l;
}

static Armada__Taint *taint_of(const char *word, struct arena *arena, struct err *err)
{
	struct taint_words w;
	Armada__Taint *t;

	if (taint_parse(word, &w, err) < 0)
		return NULL;
	t = arena_alloc(arena, sizeof(*t));
	armada__taint__init(t);
	t->key = arena_strdup(arena, w.key);
	t->value = arena_strdup(arena, w.value);
	t->effect = arena_strdup(arena, w.effect);
	return t;
}

/* Returns the key of "key-", which is to be removed; NULL for other words. */
static char *removed_key(const char *word, struct arena *arena)
{
	size_t len = strlen(word);

	if (len < 2 || word[len - 1] != '-' || strpbrk(word, "=:"))
		return NULL;
	return arena_printf(arena, "%.*s", (int)len - 1, word);
}

int node_words_read(const char *const *words, size_t count, bool taints, struct arena *arena,
		    Armada__UpdateNodeRequest *q, struct err *err)
{
	q->labels = arena_zalloc(arena, count, sizeof(*q->labels));
	q->taints = arena_zalloc(arena, count, sizeof(*q->taints));
	q->remove = arena_zalloc(arena, count, sizeof(*q->remove));
	for (size_t i = 0; i < count; i++) {
		char *key = removed_key(words[i], arena);

		if (key) {
			q->remove[q->n_remove++] = key;
		} else if (taints) {
			q->taints[q->n_taints] = taint_of(words[i], arena, err);
			if (!q->taints[q->n_taints++])
				return -EINVAL;
		} else {
			q->labels[q->n_labels] = label_of(words[i], arena, err);
			if (!q->labels[q->n_labels++])
				return -EINVAL;
		}
	}
	return 0;
}
