#include "asim/rounds/unknown.h"
#include "util/buf.h"
#include "util/mem.h"
#include "util/nearest.h"

#include <string.h>

enum {
	FEW = 8,  /* as many are listed completely */
	NEAR = 3, /* at most so many of more are listed */
	NAME_SHOWN = 40,
};

/* Move the names near to `name` to the front, the nearest first; return their number. */
static size_t near_first(const char *name, const char **names, size_t count)
{
	size_t near = 0;

	for (; near < NEAR && near < count; near++) {
		const char *found = nearest_word(name, names + near, count - near);
		size_t i = near;

		if (!found)
			break;
		while (names[i] != found)
			i++;
		memmove(names + near + 1, names + near, (i - near) * sizeof(*names));
		names[near] = found;
	}
	return near;
}

void unknown_fail(struct reader *r, const struct at *at, const char *kind, const char *name,
		  unknown_name *name_of, size_t count)
{
	CLEANUP_FREE const char **names = xcalloc(count + 1, sizeof(*names));
	CLEANUP_BUF struct buf text = {0};
	size_t near, shown;

	if (r->doc.bad)
		return;
	for (size_t i = 0; i < count; i++)
		names[i] = name_of(r->sc, i);
	near = near_first(name, names, count);
	shown = count <= FEW ? count : near ? near : NEAR;
	for (size_t i = 0; i < shown; i++)
		buf_addf(&text, "%s%.*s", i ? ", " : "", NAME_SHOWN, names[i]);
	if (shown < count)
		buf_addf(&text, " and %zu more", count - shown);
	doc_fail(&r->doc, at, "there is no %s %.*s: %s", kind, NAME_SHOWN, name,
		 count ? (const char *)text.data : "there are none");
}
