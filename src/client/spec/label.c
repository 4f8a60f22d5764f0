#include "client/spec/label.h"

#include "client/spec/spec.h"
#include "conf/syntax_checks.h"
#include "util/mem.h"

#include <errno.h>
#include <string.h>

/* Sets a key of the list, which is copied because the old one may be shared with the defaults. */
static int put(struct spec *s, const char *key, const char *value, const char *what,
	       Armada__Label ***list, size_t *count, struct err *err)
{
	Armada__Label **more = arena_zalloc(s->arena, *count + 1, sizeof(*more)), *l;
	size_t at = 0;

	if (*count)
		memcpy(more, *list, *count * sizeof(*more));
	while (at < *count && strcmp(more[at]->key, key) != 0)
		at++;
	if (at == LABELS_MAX)
		return err_set(err, -EINVAL, "more than %d %s", LABELS_MAX, what);
	l = arena_alloc(s->arena, sizeof(*l));
	armada__label__init(l);
	l->key = arena_strdup(s->arena, key);
	l->value = arena_strdup(s->arena, value);
	more[at] = l;
	*count += at == *count;
	*list = more;
	return 0;
}

int spec_set_job_labels(void *target, const char *value, struct err *err)
{
	struct spec *s = target;
	CLEANUP_FREE char *text = xstrdup(value);
	char *rest = text, *word;

	while ((word = strsep(&rest, ","))) {
		char *equals = strchr(word, '=');
		int rc;

		if (equals)
			*equals = '\0';
		rc = check_label_key(word, err);
		if (rc == 0)
			rc = check_label_value(equals ? equals + 1 : "", err);
		if (rc == 0)
			rc = put(s, word, equals ? equals + 1 : "", "labels", &s->job.labels,
				 &s->job.n_labels, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int spec_set_annotation(void *target, const char *value, struct err *err)
{
	struct spec *s = target;
	CLEANUP_FREE char *key = xstrdup(value);
	char *equals = strchr(key, '=');
	int rc;

	if (!equals)
		return err_set(err, -EINVAL, "'%.64s' must be KEY=TEXT", value);
	*equals = '\0';
	rc = check_label_key(key, err);
	if (rc == 0)
		rc = spec_check_text(equals + 1, err);
	if (rc < 0)
		return rc;
	if (strlen(equals + 1) > ANNOTATION_LONGEST)
		return err_set(err, -EINVAL, "the text of annotation %s is longer than %d bytes",
			       key, ANNOTATION_LONGEST);
	return put(s, key, equals + 1, "annotations", &s->job.annotations, &s->job.n_annotations,
		   err);
}
