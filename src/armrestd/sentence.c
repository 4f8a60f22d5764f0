/* Sentences as JSON (sentence.h). Jansson makes no string of a text that is no UTF-8. */
#include "armrestd/sentence.h"

#include "util/mem.h"

#include <stdlib.h>

json_t *sentence_json(const char *text)
{
	json_t *json = json_string(text);
	CLEANUP_FREE char *copy = NULL;

	if (json)
		return json;
	copy = xstrdup(text);
	for (char *p = copy; *p; p++)
		if ((unsigned char)*p >= 0x80)
			*p = '?';
	return json_string(copy);
}
