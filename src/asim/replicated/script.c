/* Scripts (script.h). */
#include "asim/replicated/script.h"
#include "asim/replicated/command.h"
#include "asim/replicated/reply.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct call {
	struct world *w;
	struct server *s;
	struct batch *b;
	enum data_key key; /* the second one */
	const struct blob *args;
	size_t count;
};

static void set(struct call *c, const char *name, size_t arg)
{
	batch_field(c->w->run, c->b, KEY_HEAD, name, c->args[arg]);
}

static void set_text(struct call *c, const char *name, const char *text)
{
	batch_field(c->w->run, c->b, KEY_HEAD, name, blob_text(c->w->run, text));
}

static void add_one(struct call *c, const char *name)
{
	batch_field(c->w->run, c->b, KEY_HEAD, name,
		    blob_number(c->w->run, data_number(&c->s->data, name) + 1));
}

static void do_init(struct call *c)
{
	set_text(c, "layout", "1");
	set(c, "cluster", 0);
	set(c, "hash", 1);
	set(c, "set", 2);
	set_text(c, "setv", "1");
	set(c, "seq", 3);
	set(c, "acked", 3);
	set(c, "epoch", 4);
	set_text(c, "beat", "1");
}

static void do_lead(struct call *c)
{
	set(c, "epoch", 2);
	set(c, "leader", 3);
	set(c, "owner", 4);
	set(c, "lease", 5);
	set_text(c, "heir", "");
	add_one(c, "beat");
}

static void do_renew(struct call *c)
{
	set(c, "acked", 1);
	add_one(c, "beat");
}

static void do_resign(struct call *c)
{
	set(c, "acked", 1);
	set_text(c, "leader", "");
	set_text(c, "owner", "");
	set(c, "heir", 2);
	add_one(c, "beat");
}

static void do_append(struct call *c)
{
	for (size_t i = 5; i + 3 < c->count; i += 4) {
		struct entry *e = arena_zalloc(c->w->run, 1, sizeof(*e));

		e->seq = blob_value(&c->args[i]);
		e->fields[0] = c->args[0];
		for (size_t k = 1; k < ENTRY_FIELDS; k++)
			e->fields[k] = c->args[i + k];
		batch_add(c->w->run, c->b, WRITE_ENTRY, KEY_LOG)->entry = e;
	}
	set(c, "seq", c->count - 4);
	set(c, "hash", 3);
	set(c, "acked", 4);
	add_one(c, "beat");
}

static void do_chunks(struct call *c)
{
	uint64_t first = blob_value(&c->args[1]);
	char name[24];

	if (!first)
		batch_add(c->w->run, c->b, WRITE_DELETE, c->key);
	for (size_t i = 2; i < c->count; i++) {
		snprintf(name, sizeof(name), "%" PRIu64, first + i - 2);
		batch_field(c->w->run, c->b, c->key, name, c->args[i]);
	}
}

static void do_snapshot(struct call *c)
{
	static const char *const names[] = {"snap",  "snaphash",  "chunks",      "slot",
					    "older", "olderhash", "olderchunks", "olderslot"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		set(c, names[i], i + 1);
}

static void do_trim(struct call *c)
{
	batch_add(c->w->run, c->b, WRITE_TRIM, KEY_LOG)->seq = blob_value(&c->args[1]);
}

static void do_set(struct call *c)
{
	set(c, "set", 2);
	world_trace(c->w, "the set becomes %s", c->args[2].data);
	set(c, "out", 3);
	add_one(c, "setv");
}

/* The first row whose word is in the text; fields that it compares with arguments. */
static const struct script {
	const char *word;
	void (*run)(struct call *c);
	struct {
		const char *text, *field;
		size_t arg;
	} compares[2];
	size_t least;
} scripts[] = {
	{"'layout'", do_init, {{NULL, NULL, 0}}, 5},
	{"'owner', ARGV[5]", do_lead, {{"'beat') ~= ARGV[2]", "beat", 1}}, 6},
	{"'heir', ARGV[3]", do_resign, {{NULL, NULL, 0}}, 3},
	{"ARGV[#ARGV - 3]",
	 do_append,
	 {{"h[1] ~= ARGV[2]", "seq", 1}, {"h[2] ~= ARGV[3]", "hash", 2}},
	 9},
	{"'olderslot'", do_snapshot, {{NULL, NULL, 0}}, 9},
	{"UNLINK", do_chunks, {{NULL, NULL, 0}}, 2},
	{"XTRIM", do_trim, {{NULL, NULL, 0}}, 2},
	{"'setv', 1", do_set, {{"'setv') ~= ARGV[2]", "setv", 1}}, 4},
	{"'acked', ARGV[2]", do_renew, {{NULL, NULL, 0}}, 2},
	{"", NULL, {{NULL, NULL, 0}}, 0}, /* another one: it cannot be run */
};
enum { FENCED = 1, FIRST = 2, SECOND_ONE = 4, FLAGS = 8 };

/* The name of a script has what is known about it: its row, and its comparisons. */
redisReply *script_load_text(struct server *s, const char *text)
{
	char sha[41];
	size_t row = 0;
	int flags;

	while (!strstr(text, scripts[row].word))
		row++;
	flags = strstr(text, "if e ~= ARGV[1] then return") ? FENCED : 0;
	for (int i = 0; i < 2; i++)
		if (scripts[row].compares[i].text && strstr(text, scripts[row].compares[i].text))
			flags |= FIRST << i;
	s->scripts |= UINT64_C(1) << row;
	snprintf(sha, sizeof(sha), "%040d", (int)row * FLAGS + flags);
	return reply_text(sha, 40);
}

/* NULL: it may write. */
static redisReply *compare(const struct script *x, int flags, const struct call *c)
{
	const struct blob *epoch = data_get(&c->s->data, KEY_HEAD, "epoch");
	char text[64];

	if ((flags & FENCED) && !blob_equal(epoch, &c->args[0])) {
		snprintf(text, sizeof(text), "EPOCH %.40s", epoch ? epoch->data : "none");
		return reply_status(text);
	}
	for (int i = 0; i < 2; i++)
		if ((flags & (FIRST << i)) &&
		    !blob_equal(data_get(&c->s->data, KEY_HEAD, x->compares[i].field),
				&c->args[x->compares[i].arg]))
			return reply_status("OTHER");
	if (x->run == do_init && data_exists(&c->s->data, KEY_HEAD))
		return reply_status("OTHER exists");
	return NULL;
}

redisReply *script_run(struct world *w, struct server *s, const struct blob *args, size_t count,
		       size_t *ret_wrote)
{
	unsigned long code = strtoul(args[1].data, NULL, 10),
		      keys = strtoul(args[2].data, NULL, 10);
	const struct script *x = &scripts[code / FLAGS];
	struct call c = {.w = w, .s = s, .args = args + 3 + keys, .count = count - 3 - keys};
	const char *why = command_refusal(w, s);
	redisReply *r;

	if (!(s->scripts & UINT64_C(1) << (code / FLAGS)))
		return reply_error("NOSCRIPT No matching script. Please use EVAL.");
	if (!x->run || c.count < x->least)
		return reply_error("ERR the script is not known");
	c.key = keys > 1 ? data_key_of(args[4].data) : KEY_HEAD;
	r = compare(x, (int)(code % FLAGS), &c);
	if (r)
		return r;
	if (why)
		return reply_error(why);
	c.b = batch_new(w->run, true);
	x->run(&c);
	server_execute(w, s, c.b);
	*ret_wrote = s->count;
	return reply_status("OK");
}
