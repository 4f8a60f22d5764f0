#include "core/admission/labels.h"

#include "conf/syntax_checks.h"

#include <string.h>

enum { COUNT_MAX = 64, TEXT_LONGEST = 4096 };

static int check_list(struct admission *a, Armada__Label *const *list, size_t count,
		      const char *what)
{
	struct err why;

	if (count > COUNT_MAX)
		return admit_no(a, "%zu %ss; at most %d are accepted", count, what, COUNT_MAX);
	for (size_t i = 0; i < count; i++) {
		if (check_label_key(list[i]->key, &why) < 0)
			return admit_no(a, "%s: %s", what, why.text);
		for (size_t k = 0; k < i; k++)
			if (strcmp(list[i]->key, list[k]->key) == 0)
				return admit_no(a, "%s %s is given twice", what, list[i]->key);
	}
	return 0;
}

int admit_labels(struct admission *a)
{
	const Armada__JobSpec *s = a->spec;
	struct err why;
	int rc = check_list(a, s->labels, s->n_labels, "label");

	for (size_t i = 0; rc == 0 && i < s->n_labels; i++)
		if (check_label_value(s->labels[i]->value, &why) < 0)
			rc = admit_no(a, "label %s: %s", s->labels[i]->key, why.text);
	if (rc == 0)
		rc = check_list(a, s->annotations, s->n_annotations, "annotation");
	for (size_t i = 0; rc == 0 && i < s->n_annotations; i++)
		if (strlen(s->annotations[i]->value) > TEXT_LONGEST)
			rc = admit_no(a, "annotation %s: the text is longer than %d bytes",
				      s->annotations[i]->key, TEXT_LONGEST);
	return rc;
}
