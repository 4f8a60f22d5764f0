/*
 * The value of a column for a row, as text and as JSON.
 *
 * A cell describes the value: a field of the row by its offset, a computed number, or functions of
 * its own. Resources are printed with units in text and as plain numbers in JSON.
 */
#include "cmd/listing/column.h"
#include "cmd/listing/resources.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const void *field_of(const struct cell *c, const void *row)
{
	if (c->through)
		row = *(const void *const *)((const char *)row + c->pointer);
	return (const char *)row + c->offset;
}

static int64_t integer_at(const struct cell *c, const void *at)
{
	if (c->size == sizeof(int64_t))
		return *(const int64_t *)at;
	return c->is_signed ? *(const int32_t *)at : (int64_t) * (const uint32_t *)at;
}

static int64_t number(const struct cell *c, const void *row)
{
	return c->number ? c->number(row, c->arg) : integer_at(c, field_of(c, row));
}

static double real(const struct cell *c, const void *row)
{
	return c->real ? c->real(row) : *(const double *)field_of(c, row);
}

static Armada__Resource *const *resources(const struct cell *c, const void *row, size_t *ret_count)
{
	*ret_count = *(const size_t *)((const char *)row + c->count_offset);
	return *(Armada__Resource *const *const *)field_of(c, row);
}

static void number_text(const struct cell *c, const void *row, struct buf *out)
{
	int64_t n = number(c, row);
	char text[48];

	if (n == CELL_UNKNOWN) {
		buf_addstr(out, "-");
	} else if (!c->format) {
		buf_addf(out, "%" PRId64, n);
	} else {
		c->format(n, text, sizeof(text));
		buf_addstr(out, text);
	}
}

static json_t *number_json(const struct cell *c, const void *row)
{
	int64_t n = number(c, row);

	return n == CELL_UNKNOWN ? json_null() : json_integer(n);
}

void column_percent(double fraction, struct buf *out)
{
	buf_addf(out, "%.1f%%", fraction * 100);
}

void column_fraction(double fraction, struct buf *out)
{
	if (isfinite(fraction))
		column_percent(fraction, out);
	else
		buf_addc(out, '-');
}

json_t *column_strings_json(const char *const *list, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, json_string(list[i]));
	return array;
}

json_t *column_real_json(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

void column_text(const struct column *column, const void *row, struct buf *out)
{
	const struct cell *c = &column->cell;
	Armada__Resource *const *list;
	size_t count;

	if (c->text && c->type != CELL_TYPE_CUSTOM) {
		c->text(row, out);
		return;
	}
	switch (c->type) {
	case CELL_TYPE_OWN:
		break;
	case CELL_TYPE_CUSTOM:
		c->text_with(row, c->arg, out);
		break;
	case CELL_TYPE_TEXT:
		buf_addstr(out, *(const char *const *)field_of(c, row));
		break;
	case CELL_TYPE_NUMBER:
		number_text(c, row, out);
		break;
	case CELL_TYPE_BOOL:
		buf_addstr(out, *(const int *)field_of(c, row) ? "yes" : "no");
		break;
	case CELL_TYPE_REAL:
		buf_addf(out, "%.4g", real(c, row));
		break;
	case CELL_TYPE_RESOURCES:
		list = resources(c, row, &count);
		resources_add(list, count, ",", out);
		break;
	case CELL_TYPE_PERCENT:
		column_percent(*(const double *)field_of(c, row), out);
		break;
	}
}

static json_t *text_json(const struct column *c, const void *row)
{
	CLEANUP_BUF struct buf cell = {0};

	buf_reserve(&cell, 1);
	column_text(c, row, &cell);
	return json_stringn((char *)cell.data, cell.len);
}

json_t *column_json(const struct column *column, const void *row)
{
	const struct cell *c = &column->cell;
	Armada__Resource *const *list;
	size_t count;

	switch (c->type) {
	case CELL_TYPE_OWN:
		return c->json ? c->json(row) : text_json(column, row);
	case CELL_TYPE_CUSTOM:
		return c->json_with ? c->json_with(row, c->arg) : text_json(column, row);
	case CELL_TYPE_TEXT:
		return json_string(*(const char *const *)field_of(c, row));
	case CELL_TYPE_NUMBER:
		return number_json(c, row);
	case CELL_TYPE_BOOL:
		return json_boolean(*(const int *)field_of(c, row));
	case CELL_TYPE_REAL:
	case CELL_TYPE_PERCENT:
		return column_real_json(real(c, row));
	case CELL_TYPE_RESOURCES:
		list = resources(c, row, &count);
		return resources_json(list, count);
	}
	abort();
}
