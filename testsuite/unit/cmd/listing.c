/*
 * Listings: one table of columns printed as an aligned table, in a %-format, as JSON and as
 * help; refused formats; and cells of every type.
 */
#include "cmd/listing/listing.h"
#include "tap/tap.h"
#include "util/mem.h"
#include "util/units.h"

#include <errno.h>
#include <math.h>
#include <protobuf-c/protobuf-c.h>
#include <string.h>

struct thing {
	const char *name;
	int64_t size;
};

static const struct thing things[] = {
	{"short", 1}, {"a name that is rather longer", 22222}, {"\xc3\xa9t\xc3\xa9", 3}};

static const struct column columns[] = {
	{"name", "NAME", 'j', false, true, CELL_TEXT(struct thing, name), NULL, "Its name"},
	{"size", "SIZE", 'm', true, false, CELL_INT(struct thing, size), NULL, "Its size"},
};
static const char *const aliases[] = {"size volume bulk", "name title label", NULL};
static const struct listing listing = LISTING("things", "name,size", columns, .aliases = aliases);

/* The output, or the refusal. A new string. */
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
	const char *want; /* for a refusal: a part of it */
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
	{"Si_ZE", true, 1, "1\n", 0},
	{"volume,label", true, 1, "1 short\n", 0},
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
		has_str(text, cases[i].want, "case %zu: message", i);
	else
		is_str(text, cases[i].want, "case %zu: text", i);
	is_int(listing_check(&listing, &r, &err), cases[i].rc, "case %zu: listing_check agrees", i);
}

static void check_json(void)
{
	struct listing_request r = {.json = true, .format = "name"};
	int rc;
	CLEANUP_FREE char *text = print(&r, 2, &rc);
	json_t *root = json_loads(text, 0, NULL);
	json_t *list = json_object_get(root, "things");

	is_int(rc, 0, "JSON is printed");
	ok(root, "the JSON is valid");
	is_int(json_integer_value(json_object_get(root, "version")), 1, "the JSON has a version");
	is_int((long long)json_array_size(list), 2, "every row is present");
	is_str(json_string_value(json_object_get(json_array_get(list, 0), "name")), "short",
	       "a text column is right");
	is_int(json_integer_value(json_object_get(json_array_get(list, 1), "size")), 22222,
	       "a number that --format leaves out is present");
	json_decref(root);
}

/* ---- cells ---- */

struct message {
	int32_t less;
	uint32_t more;
	uint64_t big;
	protobuf_c_boolean yes;
	double part, odd;
	const char *text;
};

struct view {
	const struct message *message;
};

static int64_t doubled(const void *row, const void *arg)
{
	return 2 * ((const struct view *)row)->message->less + *(const int *)arg;
}

static void own_text(const void *row, struct buf *out)
{
	buf_addf(out, "<%s>", ((const struct view *)row)->message->text);
}

static void with_text(const void *row, const void *arg, struct buf *out)
{
	(void)row;
	buf_addstr(out, arg);
}

static const int one = 1;

#define THROUGH .through = true
/* clang-format off */
static const struct {
	struct column column;
	const char *text, *json;
} cells[] = {
	{{.cell = CELL_INT(struct message, less, THROUGH)}, "-5", "-5"},
	{{.cell = CELL_INT(struct message, more, THROUGH)}, "4294967295", "4294967295"},
	{{.cell = CELL_QUANTITY(struct message, big, format_size, THROUGH)}, "2K", "2048"},
	{{.cell = CELL_BOOL(struct message, yes, THROUGH)}, "yes", "true"},
	{{.cell = CELL_PERCENT(struct message, part, THROUGH)}, "25.0%", "0.25"},
	{{.cell = CELL_REAL(struct message, part, THROUGH)}, "0.25", "0.25"},
	{{.cell = CELL_REAL(struct message, odd, THROUGH)}, "inf", "null"},
	{{.cell = CELL_TEXT(struct message, text, THROUGH)}, "word", "\"word\""},
	{{.cell = CELL_NUMBER(doubled, &one, NULL)}, "-9", "-9"},
	{{.cell = CELL(own_text, NULL)}, "<word>", "\"<word>\""},
	{{.cell = CELL_CUSTOM(with_text, NULL, "arg")}, "arg", "\"arg\""},
};
/* clang-format on */

static void check_cells(void)
{
	const struct message m = {-5, UINT32_MAX, 2048, true, 0.25, INFINITY, "word"};
	const struct view view = {&m};

	for (size_t i = 0; i < ARRAY_SIZE(cells); i++) {
		CLEANUP_BUF struct buf text = {0};
		json_t *json = column_json(&cells[i].column, &view);
		char *dumped = json_dumps(json, JSON_ENCODE_ANY);

		column_text(&cells[i].column, &view, &text);
		is_str((char *)text.data, cells[i].text, "cell %zu as text", i);
		is_str(dumped, cells[i].json, "cell %zu as JSON", i);
		free(dumped);
		json_decref(json);
	}
}

int main(void)
{
	CLEANUP_BUF struct buf help = {0};

	listing_locale();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check(i);
	check_json();
	check_cells();
	listing_help(&listing, &help);
	has_str((char *)help.data, "name                 %j   Its name",
		"--help lists the columns");
	return done();
}
