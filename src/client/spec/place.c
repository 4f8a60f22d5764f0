/*
 * Which nodes a job may run on: labels, taints, names; and which of their cpus its tasks are bound to.
 */
#include "client/spec/place.h"

#include "client/spec/spec.h"
#include "conf/taint.h"
#include "util/hostlist.h"
#include "util/mem.h"

#include <errno.h>
#include <string.h>

enum { TOLERATIONS_MAX = 64, HOSTS_MAX = 65536, LABELS_MAX = 64 };

/* One "key", "key=value", "!key" or "!key=value" of n bytes. */
static int add_selector(struct spec *s, const char *text, size_t n, Armada__Selector **ret_sel,
			struct err *err)
{
	Armada__Selector *sel = arena_alloc(s->arena, sizeof(*sel));
	char *word = arena_memdup(s->arena, text, n + 1);
	char *equals;

	word[n] = '\0';
	armada__selector__init(sel);
	if (word[0] == '!') {
		sel->negate = true;
		word++;
	}
	equals = strchr(word, '=');
	if (equals) {
		*equals = '\0';
		sel->value = equals + 1;
	}
	if (!*word || strpbrk(word, " !|()[]*") || (equals && !equals[1]))
		return err_set(err, -EINVAL,
			       "\"%.*s\" is not a label; write key=value or key, "
			       "with ! before it for not, joined by &",
			       (int)n, text);
	sel->key = word;
	*ret_sel = sel;
	return 0;
}

int spec_set_labels(void *target, const char *value, struct err *err)
{
	struct spec *s = target;
	Armada__Selector **list = arena_zalloc(s->arena, LABELS_MAX, sizeof(*list));
	size_t count = 0;

	for (const char *at = value;; at++) {
		size_t n = strcspn(at, "&,");
		int rc;

		if (count == LABELS_MAX)
			return err_set(err, -EINVAL, "more than %d labels", LABELS_MAX);
		rc = add_selector(s, at, n, &list[count], err);
		if (rc < 0)
			return rc;
		count++;
		at += n;
		if (!*at)
			break;
	}
	s->job.selectors = list;
	s->job.n_selectors = count;
	return 0;
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

static int add_toleration(struct spec *s, const char *text, Armada__Toleration **ret_toleration,
			  struct err *err)
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

/* Those of one source add up; a stronger one takes the place of all before it. */
int spec_set_tolerations(void *target, const char *value, struct err *err)
{
	struct spec *s = target;
	Armada__Toleration **list = arena_zalloc(s->arena, TOLERATIONS_MAX, sizeof(*list));
	size_t count = 0;

	for (; s->tolerations_from == s->source && count < s->job.n_tolerations; count++)
		list[count] = s->job.tolerations[count];
	for (const char *at = value;; at++) {
		size_t n = strcspn(at, ",");
		char *word = arena_memdup(s->arena, at, n + 1);
		int rc;

		word[n] = '\0';
		if (count == TOLERATIONS_MAX)
			return err_set(err, -EINVAL, "more than %d tolerations", TOLERATIONS_MAX);
		rc = add_toleration(s, word, &list[count], err);
		if (rc < 0)
			return rc;
		count++;
		at += n;
		if (!*at)
			break;
	}
	s->job.tolerations = list;
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
		{"cores", ARMADA__BIND__BIND_CORES},     {"core", ARMADA__BIND__BIND_CORES},
		{"threads", ARMADA__BIND__BIND_CORES},   {"cpus", ARMADA__BIND__BIND_CORES},
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
	return err_set(err, -EINVAL, "\"%s\" must be none, cores, sockets or numa", value);
}
