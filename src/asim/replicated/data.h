/*
 * What a Redis server stores: the few keys of state/redis, and the writes that change them.
 *
 * A batch is what one command or script has written. It is applied, replicated and appended to a file as a
 * whole. Batches and their bytes live as long as the run, and are shared by all servers.
 */
#pragma once

#include "asim/replicated/world.h"

struct blob {
	const char *data;
	size_t len;
};

enum data_key {
	KEY_HEAD,
	KEY_SNAP0,
	KEY_SNAP1,
	KEY_SNAP2,
	KEY_CONTROLLERS,
	KEY_NOTES,
	KEY_LOG,
	DATA_KEYS
};

enum write_kind { WRITE_FIELD, WRITE_ENTRY, WRITE_TRIM, WRITE_DELETE };

enum { ENTRY_FIELDS = 4 };
extern const char *const entry_names[ENTRY_FIELDS]; /* e, c, p, d */

struct entry {
	uint64_t seq;
	struct blob fields[ENTRY_FIELDS];
	bool flipped;
};

struct write {
	enum write_kind kind;
	enum data_key key;
	const char *field;
	struct blob value;
	struct entry *entry;
	uint64_t seq; /* of TRIM: the first one that stays */
	struct write *next;
};

struct batch {
	struct write *first, **last;
	bool of_script;
};

struct hash {
	struct field {
		const char *name;
		struct blob value;
	} * fields;
	size_t count, cap;
};

struct data {
	struct hash hashes[KEY_LOG];
	struct entry **log;
	size_t from, count, cap; /* entries from..count are there */
};

/* The key after the prefix; DATA_KEYS: another one. */
enum data_key data_key_of(const char *name);
struct blob blob_text(struct arena *a, const char *text);
struct blob blob_number(struct arena *a, uint64_t n);
uint64_t blob_value(const struct blob *b);
bool blob_equal(const struct blob *a, const struct blob *b);

struct batch *batch_new(struct arena *a, bool of_script);
struct write *batch_add(struct arena *a, struct batch *b, enum write_kind kind, enum data_key key);
void batch_field(struct arena *a, struct batch *b, enum data_key key, const char *name,
		 struct blob value);

void data_clear(struct data *d);
void data_apply(struct arena *a, struct data *d, const struct batch *b);
/* NULL: there is none. */
const struct blob *data_get(const struct data *d, enum data_key key, const char *field);
uint64_t data_number(const struct data *d, const char *field);
const struct entry *data_entry(const struct data *d, uint64_t seq);
bool data_exists(const struct data *d, enum data_key key);
