/* Listings: one table of columns as table, %-format, JSON and help. */
#include "cmd/listing.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

struct thing {
	const char *name;
	int64_t size;
};

static const struct thing things[] = {
	{"short", 1}, {"a name that is rather longer", 22222}, {"\xc3\xa9t\xc3\xa9", 3}};

static void name_text(const void *row, struct buf *out)
{
	buf_addstr(out, ((const struct thing *)row)->name);
}

static void size_text(const void *row, struct buf *out)
{
	buf_addf(out, "%" PRId64, ((const struct thing *)row)->size);
}

static json_t *size_json(const void *row)
{
	return json_integer(((const struct thing *)row)->size);
}

static const struct column columns[] = {
	{"name", "NAME", 'j', false, true, name_text, NULL, NULL, "Its name"},
	{"size", "SIZE", 'm', true, false, size_text, size_json, NULL, "Its size"},
};
static const struct listing listing = {"things", "name,size", columns, ARRAY_SIZE(columns)};

/* What is printed, or the refusal. A new string. */
static char *print(const struct listing_request *r, size_t count, int *ret_rc)
{
	const void *rows[] = {&things[0], &things[1], &things[2]};
	struct err err = {0};
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		bail("open_memstream");
	*ret_rc = listing_print(&listing, r, rows, count, f, &err);
	fclose(f);
	if (*ret_rc < 0) {
		free(text);
		return xstrdup(err.text);
	}
	return text;
}

static const struct {
	const char *format;
	bool noheader;
	size_t count;
	const char *want; /* of a refusal: a part of it */
	int rc;
} cases[] = {
	{NULL, false, 2,
	 "NAME                          SIZE\n"
	 "short                            1\n"
	 "a name that is rather longer 22222\n",
	 0},
	{NULL, true, 1, "short 1\n", 0},
	{NULL, false, 0, "NAME SIZE\n", 0},
	{NULL, true, 0, "", 0},
	{"size", true, 2, "    1\n22222\n", 0},
	{"SIZE,name", true, 1, "1 short\n", 0},
	{"name:6,size", true, 2, "short      1\na name 22222\n", 0},
	{"%j=%m", true, 2, "short=1\na name that is rather longer=22222\n", 0},
	{"%.6m|%-", true, 1, "there is no column %-", -EINVAL},
	{"%.6m|%8j|", false, 1, "  SIZE|NAME    |\n     1|short   |\n", 0},
	{"%3j", true, 3, "sho\na n\n\xc3\xa9t\xc3\xa9\n", 0},
	{"%5j|", true, 3, "short|\na nam|\n\xc3\xa9t\xc3\xa9  |\n", 0},
	{"nmae", true, 1, "did you mean name?", -EINVAL},
	{"zzzzzz", true, 1, "--help lists them", -EINVAL},
	{"name:x", true, 1, "width of name", -EINVAL},
	{"%", true, 1, "there is no column", -EINVAL},
	{"%z", true, 1, "there is no column %z", -EINVAL},
};

static void check(size_t i)
{
	struct listing_request r = {.format = cases[i].format, .noheader = cases[i].noheader};
	struct err err = {0};
	int rc;
	CLEANUP_FREE char *text = print(&r, cases[i].count, &rc);

	is_int(rc, cases[i].rc, "case %zu: result", i);
	if (cases[i].rc)
		has_str(text, cases[i].want, "case %zu: words", i);
	else
		is_str(text, cases[i].want, "case %zu: text", i);
	is_int(listing_check(&listing, &r, &err), cases[i].rc, "case %zu: told beforehand", i);
}

static void check_json(void)
{
	struct listing_request r = {.json = true, .format = "name"};
	int rc;
	CLEANUP_FREE char *text = print(&r, 2, &rc);
	json_t *root = json_loads(text, 0, NULL);
	json_t *list = json_object_get(root, "things");

	is_int(rc, 0, "JSON is printed");
	ok(root, "and can be read");
	is_int(json_integer_value(json_object_get(root, "version")), 1, "it has a version");
	is_int((long long)json_array_size(list), 2, "every row is there");
	is_str(json_string_value(json_object_get(json_array_get(list, 0), "name")), "short",
	       "text");
	is_int(json_integer_value(json_object_get(json_array_get(list, 1), "size")), 22222,
	       "numbers, and columns that --format leaves out");
	json_decref(root);
}

int main(void)
{
	CLEANUP_BUF struct buf help = {0};

	listing_locale();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check(i);
	check_json();
	listing_help(&listing, &help);
	has_str((char *)help.data, "name                 %j   Its name",
		"columns are listed by --help");
	return done();
}
