/*
 * Options for the nodes of a job: labels, taints and node lists; and the binding of tasks to cpus.
 *
 * The texts of options become repeated fields of the job's message. Tolerations of one source are
 * added up; a stronger source replaces them.
 */
#include "client/spec/place.h"

#include "client/spec/spec.h"
#include "conf/selectors.h"
#include "conf/taint.h"
#include "util/hostlist.h"
#include "util/mem.h"

#include <errno.h>
#include <string.h>

enum { TOLERATIONS_MAX = 64, HOSTS_MAX = 65536 };

/* Makes one entry of a list from a word. */
typedef int add_word(struct spec *s, const char *text, void **ret_one, struct err *err);

/* Splits a value at the separators, and adds an entry for each word to the list. */
static int add_words(struct spec *s, const char *value, const char *separators, add_word *add,
		     void **list, size_t *count, size_t max, const char *what, struct err *err)
{
	for (const char *at = value;; at++) {
		size_t n = strcspn(at, separators);
		int rc;

		if (*count == max)
			return err_set(err, -EINVAL, "more than %zu %s", max, what);
		rc = add(s, arena_printf(s->arena, "%.*s", (int)n, at), &list[*count], err);
		if (rc < 0)
			return rc;
		++*count;
		at += n;
		if (!*at)
			return 0;
	}
}

int spec_set_labels(void *target, const char *value, struct err *err)
{
	struct spec *s = target;
	struct selector_words *words;
	Armada__Selector **list;
	size_t count;
	int rc = selectors_parse(value, s->arena, &words, &count, err);

	if (rc < 0)
		return rc;
	list = arena_zalloc(s->arena, count, sizeof(*list));
	for (size_t i = 0; i < count; i++) {
		list[i] = arena_alloc(s->arena, sizeof(**list));
		armada__selector__init(list[i]);
		list[i]->key = (char *)words[i].key;
		list[i]->value = (char *)words[i].value;
		list[i]->negate = words[i].negate;
		list[i]->alternative = words[i].alternative;
	}
	s->job.selectors = list;
	s->job.n_selectors = count;
	return 0;
}

void spec_add_label(struct spec *s, const char *key, const char *value)
{
	Armada__JobSpec *j = &s->job;
	Armada__Selector **list = arena_zalloc(s->arena, j->n_selectors + 1, sizeof(*list));
	Armada__Selector *one = arena_alloc(s->arena, sizeof(*one));

	armada__selector__init(one);
	one->key = (char *)key;
	one->value = (char *)value;
	if (j->n_selectors)
		memcpy(list, j->selectors, j->n_selectors * sizeof(*list));
	list[j->n_selectors++] = one;
	j->selectors = list;
}

static int set_hosts(struct spec *s, const char *value, char ***field, size_t *field_count,
		     struct err *err)
{
	char **names = NULL, **list;
	size_t count = 0;
	int rc = hostlist_expand(value, HOSTS_MAX, &names, &count, err);

	if (rc < 0)
		return rc;
	list = arena_zalloc(s->arena, count, sizeof(*list));
	for (size_t i = 0; i < count; i++)
		list[i] = arena_strdup(s->arena, names[i]);
	hostlist_free(names, count);
	*field = list;
	*field_count = count;
	return 0;
}

int spec_set_nodelist(void *target, const char *value, struct err *err)
{
	struct spec *s = target;

	return set_hosts(s, value, &s->job.nodes_include, &s->job.n_nodes_include, err);
}

int spec_set_exclude(void *target, const char *value, struct err *err)
{
	struct spec *s = target;

	return set_hosts(s, value, &s->job.nodes_exclude, &s->job.n_nodes_exclude, err);
}

static int add_toleration(struct spec *s, const char *text, void **ret_toleration, struct err *err)
{
	Armada__Toleration *t = arena_alloc(s->arena, sizeof(*t));
	struct taint_words w;
	int rc = toleration_parse(text, &w, err);

	if (rc < 0)
		return rc;
	armada__toleration__init(t);
	t->key = arena_strdup(s->arena, w.key);
	t->value = arena_strdup(s->arena, w.value);
	t->operator_ = (char *)(w.has_value ? "Equal" : "Exists");
	*ret_toleration = t;
	return 0;
}

/* Tolerations of one source are added up; those of a stronger source replace all earlier ones. */
int spec_set_tolerations(void *target, const char *value, struct err *err)
{
	struct spec *s = target;
	void **list = arena_zalloc(s->arena, TOLERATIONS_MAX, sizeof(*list));
	size_t count = 0;
	int rc;

	for (; s->tolerations_from == s->source && count < s->job.n_tolerations; count++)
		list[count] = s->job.tolerations[count];
	rc = add_words(s, value, ",", add_toleration, list, &count, TOLERATIONS_MAX, "tolerations",
		       err);
	if (rc < 0)
		return rc;
	s->job.tolerations = (Armada__Toleration **)list;
	s->job.n_tolerations = count;
	s->tolerations_from = s->source;
	return 0;
}

int spec_set_bind(void *target, const char *value, struct err *err)
{
	static const struct {
		const char *word;
		Armada__Bind bind;
	} words[] = {
		{"none", ARMADA__BIND__BIND_NONE},       {"no", ARMADA__BIND__BIND_NONE},
		{"cpus", ARMADA__BIND__BIND_CPUS},       {"threads", ARMADA__BIND__BIND_CPUS},
		{"cores", ARMADA__BIND__BIND_CORES},     {"core", ARMADA__BIND__BIND_CORES},
		{"sockets", ARMADA__BIND__BIND_SOCKETS}, {"socket", ARMADA__BIND__BIND_SOCKETS},
		{"numa", ARMADA__BIND__BIND_NUMA},       {"ldoms", ARMADA__BIND__BIND_NUMA},
	};
	struct spec *s = target;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strcmp(value, words[i].word) != 0)
			continue;
		s->job.bind = words[i].bind;
		return 0;
	}
	return err_set(err, -EINVAL, "'%s' must be none, cpus, cores, sockets or numa", value);
}
