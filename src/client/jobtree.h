/*
 * The text of a job file as a tree of values.
 *
 * A job file may be written in the syntax of libconfig, in YAML or in JSON. All three become the same tree,
 * so the meaning of a key is written once (client/jobfile.h). YAML is restricted to what people write:
 * anchors, aliases, tags, several documents and keys that occur twice are refused. JSON is read as YAML. Each
 * value knows its line. The tree is in an arena.
 */
#pragma once

#include "util/arena.h"
#include "util/buf.h"
#include "util/err.h"

#include <stdbool.h>
#include <stddef.h>

enum jobtree_type {
	JOBTREE_NULL,
	JOBTREE_BOOL,
	JOBTREE_INT,
	JOBTREE_FLOAT,
	JOBTREE_TEXT,
	JOBTREE_LIST,
	JOBTREE_MAP,
};

struct jobtree {
	enum jobtree_type type;
	unsigned line;
	const char *name;         /* its key; NULL: an item of a list, or the root */
	const struct jobtree *up; /* NULL: the root */
	size_t index;             /* of an item */
	const char *text;         /* of INT, FLOAT and TEXT */
	bool flag;                /* of BOOL */
	struct jobtree **items;   /* of LIST and MAP */
	size_t count, cap;
	/* the value that it was made from, whose path is shown; NULL: it stands in the file */
	const struct jobtree *from;
};

enum { JOBTREE_DEPTH_MAX = 16, JOBTREE_KEYS_MAX = 4096, JOBTREE_VALUES_MAX = 4000000 };

/*
 * Parses a text, in any of the three syntaxes. Errors begin with "NAME: ", most with "NAME: line N: ".
 * O(length), and O(keys^2) for each map.
 */
int jobtree_parse(const char *name, const char *text, struct arena *arena,
		  struct jobtree **ret_root, struct err *err);

/* The value of a key of a map; NULL: none. */
const struct jobtree *jobtree_get(const struct jobtree *map, const char *key);
/* Appends "jobs[2].podSpecs[0].image". */
void jobtree_path(const struct jobtree *t, struct buf *out);

/* For the readers: a new value at this line, in a list or under a key. */
struct jobtree *jobtree_add(struct jobtree *up, const char *name, unsigned line,
			    struct arena *arena);
/* The reader of YAML and JSON. */
int jobtree_parse_yaml(const char *name, const char *text, struct arena *arena,
		       struct jobtree **ret_root, struct err *err);
