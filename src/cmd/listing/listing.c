/*
 * Prints rows in columns: as an aligned table, in a %-format, or as JSON.
 *
 * A format is parsed into fields, each with a column and a width. The aligned table is made by
 * smartcols, which also cuts columns to the width of a terminal; a %-format is made here, as squeue
 * does. JSON always has every column.
 */
#include "cmd/listing/listing.h"

#include "util/mem.h"
#include "util/nearest.h"
#include "util/units.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <libsmartcols/libsmartcols.h>
#include <string.h>
#include <unistd.h>

enum { FIELDS_MAX = 64, WIDTH_MAX = 4096, JSON_VERSION = 1 };

/*
 * One field of a format. In a %-format, `before` is the text between the previous field and this
 * one.
 */
struct field {
	const struct column *column; /* NULL: only the text at the end of a %-format */
	int64_t width;               /* 0: as wide as needed */
	bool right;
	bool optional; /* shown only if a row has a value */
	const char *before;
	size_t before_len;
};

struct format {
	struct field fields[FIELDS_MAX];
	size_t count;
	bool percent;
};

static const struct opt rows_of_options[] = {
	{"noheader", NULL, 'h', NULL, OPT_FLAG(struct listing_request, noheader),
	 "Print no header line"},
	{"format", "Format -O", 'o', "COLUMNS", OPT_WORD(struct listing_request, format),
	 "Columns to show, such as name,state:10 or '%.18i %j'"},
	{"json", NULL, 0, NULL, OPT_FLAG(struct listing_request, json), "Print everything as JSON"},
};

const struct opt_table listing_options = {"Output", rows_of_options, ARRAY_SIZE(rows_of_options)};

void listing_locale(void)
{
	setlocale(LC_CTYPE, "");
	if (MB_CUR_MAX == 1)
		setlocale(LC_CTYPE, "C.UTF-8");
}

/* Whether two names are the same but for case and underscores: time_limit, TimeLimit. */
static bool same_name(const char *a, size_t a_len, const char *b, size_t b_len)
{
	for (;;) {
		for (; a_len && *a == '_'; a_len--)
			a++;
		for (; b_len && *b == '_'; b_len--)
			b++;
		if (!a_len || !b_len)
			return !a_len && !b_len;
		if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
			return false;
		a++, a_len--;
		b++, b_len--;
	}
}

static const struct column *find_named(const struct listing *l, const char *name, size_t len)
{
	for (size_t i = 0; i < l->count; i++)
		if (same_name(l->columns[i].name, strlen(l->columns[i].name), name, len))
			return &l->columns[i];
	return NULL;
}

static const struct column *find_exact(const struct listing *l, const char *name, size_t len)
{
	for (size_t i = 0; i < l->count; i++)
		if (strlen(l->columns[i].name) == len && !memcmp(l->columns[i].name, name, len))
			return &l->columns[i];
	return NULL;
}

/* The column with this other name. */
static const struct column *find_alias(const struct listing *l, const char *name, size_t len)
{
	for (size_t i = 0; l->aliases && l->aliases[i]; i++) {
		size_t column = strcspn(l->aliases[i], " ");

		for (const char *at = l->aliases[i] + column; *at;) {
			size_t n = strcspn(++at, " ");

			if (same_name(at, n, name, len))
				return find_named(l, l->aliases[i], column);
			at += n;
		}
	}
	return NULL;
}

/* By name, by another name, or by the heading. */
static const struct column *find_column(const struct listing *l, const char *name, size_t len)
{
	const struct column *found = find_exact(l, name, len);

	if (!found && l->aliases_first)
		found = find_alias(l, name, len);
	if (!found)
		found = find_named(l, name, len);
	if (!found)
		found = find_alias(l, name, len);
	if (found)
		return found;
	for (size_t i = 0; i < l->count; i++)
		if (same_name(l->columns[i].heading, strlen(l->columns[i].heading), name, len))
			return &l->columns[i];
	return NULL;
}

const struct column *listing_column(const struct listing *l, const char *name)
{
	const struct column *found = find_named(l, name, strlen(name));

	assert(found);
	return found;
}

static int unknown_column(const struct listing *l, const char *name, size_t len, struct err *err)
{
	CLEANUP_FREE char *given = xstrndup(name, len);
	CLEANUP_FREE const char **words = xcalloc(l->count + 1, sizeof(*words));
	const char *near;

	for (size_t i = 0; i < l->count; i++)
		words[i] = l->columns[i].name;
	near = nearest_word(given, words, l->count);
	for (size_t i = 0; !near && i < l->count; i++)
		near = nearest_word(given, &l->columns[i].heading, 1);
	return err_set(err, -EINVAL, "--format: there is no column '%.40s'%s%s%s", given,
		       near ? "; did you mean " : "; --help lists them", near ? near : "",
		       near ? "?" : "");
}

/* "name", "name:width", or "name%width" and "name%-width" as in sacct, of len bytes. */
static int parse_named(const struct listing *l, const char *text, size_t len, struct field *f,
		       struct err *err)
{
	size_t name_len = strcspn(text, ":%");
	const char *colon = name_len < len ? text + name_len : NULL;
	bool left = colon && colon[0] == '%' && colon[1] == '-';

	name_len = colon ? name_len : len;
	*f = (struct field){
		.column = find_column(l, text, name_len), .before = text, .before_len = name_len};
	if (!f->column)
		return unknown_column(l, text, name_len, err);
	f->right = f->column->right;
	if (colon) {
		CLEANUP_FREE char *number = xstrndup(colon + 1 + left, len - name_len - 1 - left);
		int rc = parse_int(number, 1, WIDTH_MAX, &f->width, err);

		if (rc < 0)
			return err_prefix(err, rc, "--format: width of %s", f->column->name);
	}
	return 0;
}

static int parse_names(const struct listing *l, const char *text, struct format *f, struct err *err)
{
	while (*text) {
		size_t n = strcspn(text, ", ");
		int rc;

		if (f->count == FIELDS_MAX)
			return err_set(err, -EINVAL, "--format: more than %d columns", FIELDS_MAX);
		rc = n ? parse_named(l, text, n, &f->fields[f->count], err) : 0;
		if (rc < 0)
			return rc;
		f->count += n > 0;
		text += n + (text[n] != '\0');
	}
	return 0;
}

static const struct column *find_letter(const struct listing *l, char letter)
{
	for (size_t i = 0; letter && i < l->count; i++) {
		if (l->columns[i].letter == letter)
			return &l->columns[i];
	}
	return NULL;
}

/* "%[.][width]letter" with the text before each. */
static int parse_percent(const struct listing *l, const char *text, struct format *f,
			 struct err *err)
{
	f->percent = true;
	while (*text) {
		struct field *field = &f->fields[f->count];
		size_t n = strcspn(text, "%");

		if (f->count == FIELDS_MAX)
			return err_set(err, -EINVAL, "--format: more than %d columns", FIELDS_MAX);
		f->count++;
		*field = (struct field){.before = text, .before_len = n};
		text += n;
		if (!*text)
			return 0;
		text++;
		if (*text == '.') {
			field->right = true;
			text++;
		}
		for (; *text >= '0' && *text <= '9' && field->width < WIDTH_MAX; text++)
			field->width = field->width * 10 + (*text - '0');
		field->column = find_letter(l, *text);
		if (!field->column)
			return err_set(err, -EINVAL,
				       "--format: there is no column %%%c; --help lists them",
				       *text ? *text : ' ');
		text++;
	}
	return 0;
}

/* The standard columns of the listing. */
static void parse_standard(const struct listing *l, struct format *f)
{
	for (const char *at = l->standard; *at; at += *at == ',') {
		size_t n = strcspn(at, ",");
		bool optional = at[n - 1] == '?';
		const struct column *c = find_named(l, at, n - optional);

		assert(c && f->count < FIELDS_MAX);
		f->fields[f->count++] =
			(struct field){.column = c, .right = c->right, .optional = optional};
		at += n;
	}
}

/* Whether a format has letters, as "%.18i %j". In "JobName%20,State" there are names with widths. */
static bool has_letters(const char *text)
{
	for (const char *p = text; (p = strchr(p, '%')); p++) {
		size_t n = p[1] == '-';

		n += strspn(p + 1 + n, "0123456789");
		if (p == text || !(isalnum((unsigned char)p[-1]) || p[-1] == '_') ||
		    (p[1 + n] && !strchr(", ", p[1 + n])))
			return true;
	}
	return false;
}

static int parse_format(const struct listing *l, const struct listing_request *r,
			struct format *ret_format, struct err *err)
{
	*ret_format = (struct format){0};
	if (!r->format)
		parse_standard(l, ret_format);
	else if (has_letters(r->format))
		return parse_percent(l, r->format, ret_format, err);
	else
		return parse_names(l, r->format, ret_format, err);
	return 0;
}

static bool has_value(const struct column *c, const void *const *rows, size_t count)
{
	CLEANUP_BUF struct buf text = {0};

	for (size_t i = 0; i < count && !text.len; i++)
		column_text(c, rows[i], &text);
	return text.len > 0;
}

/* Removes the optional columns without values. */
static void drop_empty(struct format *f, const void *const *rows, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->count; i++)
		if (!f->fields[i].optional || has_value(f->fields[i].column, rows, count))
			f->fields[kept++] = f->fields[i];
	f->count = kept;
}

int listing_check(const struct listing *l, const struct listing_request *r, struct err *err)
{
	struct format f;

	return parse_format(l, r, &f, err);
}

/* Adds text that is cut to width characters (not bytes) and, with pad, filled up to them. */
static void add_fitted(struct buf *out, const char *text, size_t width, bool pad, bool right)
{
	size_t chars = 0, bytes = 0;

	for (; text[bytes] && (chars < width || ((unsigned char)text[bytes] & 0xc0) == 0x80);
	     bytes++)
		chars += ((unsigned char)text[bytes] & 0xc0) != 0x80;
	if (pad && right)
		buf_addf(out, "%*s", (int)(width - chars), "");
	buf_add(out, text, bytes);
	if (pad && !right)
		buf_addf(out, "%*s", (int)(width - chars), "");
}

/* Adds a line of a %-format; row NULL: the headings. */
static void add_percent(const struct format *f, const void *row, struct buf *out)
{
	CLEANUP_BUF struct buf cell = {0};

	for (size_t i = 0; i < f->count; i++) {
		const struct field *field = &f->fields[i];

		buf_add(out, field->before, field->before_len);
		if (!field->column)
			continue;
		buf_clear(&cell);
		buf_reserve(&cell, 1);
		if (row)
			column_text(field->column, row, &cell);
		else
			buf_addstr(&cell, field->column->heading);
		if (field->width)
			add_fitted(out, (char *)cell.data, (size_t)field->width, true,
				   field->right);
		else
			buf_add(out, cell.data, cell.len);
	}
	buf_addc(out, '\n');
}

static void print_percent(const struct format *f, const struct listing_request *r,
			  const void *const *rows, size_t count, FILE *out)
{
	CLEANUP_BUF struct buf line = {0};

	if (!r->noheader)
		add_percent(f, NULL, &line);
	for (size_t i = 0; i < count; i++) {
		add_percent(f, rows[i], &line);
		fwrite(line.data, 1, line.len, out);
		buf_clear(&line);
	}
	fwrite(line.data, 1, line.len, out);
}

bool listing_colours(FILE *out)
{
	const char *term = getenv("TERM");
	const char *no = getenv("NO_COLOR");

	return isatty(fileno(out)) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

static bool wraps(const struct listing *l, const struct column *c)
{
	const char *at = l->wraps ? strstr(l->wraps, c->name) : NULL;

	return at && (at == l->wraps || at[-1] == ',') && strchr(",", at[strlen(c->name)]);
}

/* Headings are left empty if they are not printed, because they would make their columns wider. */
static void add_columns(struct libscols_table *table, const struct listing *l,
			const struct format *f, bool noheader)
{
	for (size_t i = 0; i < f->count; i++) {
		const struct field *field = &f->fields[i];
		int flags = (field->right ? SCOLS_FL_RIGHT : 0) |
			    (field->column->shrinks ? SCOLS_FL_TRUNC : 0) |
			    (wraps(l, field->column) ? SCOLS_FL_WRAP : 0);

		if (!scols_table_new_column(table, noheader ? "" : field->column->heading, 0,
					    flags))
			abort();
	}
}

static void add_line(struct libscols_table *table, const struct format *f, const void *row,
		     struct buf *cell)
{
	struct libscols_line *line = scols_table_new_line(table, NULL);

	for (size_t i = 0; i < f->count; i++) {
		const struct column *column = f->fields[i].column;
		CLEANUP_BUF struct buf fitted = {0};
		const char *text, *colour;

		buf_clear(cell);
		buf_reserve(cell, 1);
		column_text(column, row, cell);
		text = (char *)cell->data;
		if (f->fields[i].width) {
			add_fitted(&fitted, text, (size_t)f->fields[i].width, false, false);
			text = fitted.len ? (char *)fitted.data : "";
		}
		if (!line || scols_line_set_data(line, i, text) != 0)
			abort();
		colour = column->colour ? column->colour(row) : NULL;
		if (colour)
			scols_cell_set_color(scols_line_get_cell(line, i), colour);
	}
}

static int print_table(const struct listing *l, const struct format *f,
		       const struct listing_request *r, const void *const *rows, size_t count,
		       FILE *out, struct err *err)
{
	struct libscols_table *table = scols_new_table();
	CLEANUP_BUF struct buf cell = {0};
	int rc;

	if (!table)
		abort();
	scols_table_set_stream(table, out);
	scols_table_enable_noheadings(table, r->noheader);
	scols_table_enable_colors(table, listing_colours(out));
	add_columns(table, l, f, r->noheader);
	for (size_t i = 0; i < count; i++)
		add_line(table, f, rows[i], &cell);
	/* smartcols prints no headings over an empty table */
	if (!count && !r->noheader) {
		for (size_t i = 0; i < f->count; i++)
			fprintf(out, "%s%s", i ? " " : "", f->fields[i].column->heading);
		fputc('\n', out);
	}
	rc = count ? scols_print_table(table) : 0;
	scols_unref_table(table);
	return rc < 0 ? err_sys(err, -EBADE, "cannot print the table") : 0;
}

/* In CSV the value of JSON, so that numbers are plain; a list or an object as the text of the column. */
static void add_csv_cell(const struct column *c, const void *row, struct buf *out)
{
	CLEANUP_BUF struct buf text = {0};
	json_t *value = column_json(c, row);
	const char *p;

	if (json_is_string(value) || json_is_object(value) || json_is_array(value))
		column_text(c, row, &text);
	else if (json_is_boolean(value))
		buf_addstr(&text, json_is_true(value) ? "1" : "0");
	else if (json_is_integer(value))
		buf_addf(&text, "%lld", (long long)json_integer_value(value));
	else if (json_is_real(value))
		buf_addf(&text, "%.12g", json_real_value(value));
	json_decref(value);
	buf_addc(&text, '\0');
	p = (const char *)text.data;
	if (!strpbrk(p, ",\"\r\n")) {
		buf_addstr(out, p);
		return;
	}
	buf_addc(out, '"');
	for (; *p; p++)
		buf_addf(out, "%s%c", *p == '"' ? "\"" : "", *p);
	buf_addc(out, '"');
}

/* The heading in values for programs: the name of the column, or as it was given. */
static void add_name(const struct field *f, const struct listing_request *r, struct buf *out)
{
	if (r->format)
		buf_add(out, f->before, f->before_len);
	else
		buf_addstr(out, f->column->name);
}

/* row NULL: the names. */
static void add_values(const struct format *f, const struct listing_request *r, const void *row,
		       struct buf *out)
{
	CLEANUP_BUF struct buf cell = {0};
	char separator = r->csv ? ',' : '|';

	for (size_t i = 0; i < f->count; i++) {
		const struct field *field = &f->fields[i];

		if (i)
			buf_addc(out, separator);
		buf_clear(&cell);
		buf_reserve(&cell, 1);
		if (!row)
			add_name(field, r, out);
		else if (r->csv)
			add_csv_cell(field->column, row, out);
		else
			column_text(field->column, row, &cell);
		if (field->width)
			add_fitted(out, (char *)cell.data, (size_t)field->width, false, false);
		else
			buf_add(out, cell.data, cell.len);
	}
	if (r->parsable && !r->csv)
		buf_addc(out, separator);
	buf_addc(out, '\n');
}

static void print_values(const struct format *f, const struct listing_request *r,
			 const void *const *rows, size_t count, FILE *out)
{
	CLEANUP_BUF struct buf line = {0};

	if (!r->noheader)
		add_values(f, r, NULL, &line);
	for (size_t i = 0; i < count; i++) {
		add_values(f, r, rows[i], &line);
		fwrite(line.data, 1, line.len, out);
		buf_clear(&line);
	}
	fwrite(line.data, 1, line.len, out);
}

json_t *listing_row_json(const struct listing *l, const void *row)
{
	json_t *object = json_object();

	for (size_t i = 0; i < l->count; i++)
		json_object_set_new(object, l->columns[i].name, column_json(&l->columns[i], row));
	return object;
}

json_t *listing_json(const struct listing *l, const void *const *rows, size_t count)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, listing_row_json(l, rows[i]));
	return list;
}

json_t *listing_json_new(void)
{
	json_t *root = json_object();

	json_object_set_new(root, "version", json_integer(JSON_VERSION));
	return root;
}

void listing_json_print(json_t *root, FILE *out)
{
	json_dumpf(root, out, JSON_INDENT(2));
	fputc('\n', out);
	json_decref(root);
}

static void print_json(const struct listing *l, const void *const *rows, size_t count, FILE *out)
{
	json_t *root = listing_json_new();

	json_object_set_new(root, l->key, listing_json(l, rows, count));
	listing_json_print(root, out);
}

int listing_print(const struct listing *l, const struct listing_request *r, const void *const *rows,
		  size_t count, FILE *out, struct err *err)
{
	struct format f;
	int rc = parse_format(l, r, &f, err);

	if (rc < 0)
		return rc;
	drop_empty(&f, rows, count);
	if (r->json)
		print_json(l, rows, count, out);
	else if (!f.percent && (r->csv || r->parsable || r->parsable2))
		print_values(&f, r, rows, count, out);
	else if (f.percent)
		print_percent(&f, r, rows, count, out);
	else
		return print_table(l, &f, r, rows, count, out, err);
	return 0;
}

void listing_help(const struct listing *l, struct buf *out)
{
	buf_addstr(out, "Columns for --format:\n");
	for (size_t i = 0; i < l->count; i++) {
		const struct column *c = &l->columns[i];
		char letter[3] = {'%', c->letter, '\0'};

		buf_addf(out, "  %-20s %-4s %s\n", c->name, c->letter ? letter : "", c->help);
	}
}
