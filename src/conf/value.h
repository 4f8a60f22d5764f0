/*
 * One value of an option: read from the file or from text, printed, and stored in its struct.
 *
 * The functions depend on types and ranges only, so they serve armada.conf and every plugin's table.
 */
#pragma once

#include "conf/tables.h"
#include "util/arena.h"
#include "util/buf.h"
#include <armada/option.h>
#include <libconfig.h>

/* From a setting of the parsed file; lists and strings are copied into the arena. */
int value_from_setting(const struct armada_option *row, const config_setting_t *s, struct arena *a,
		       struct armada_option_value *ret, struct err *err);
/* Print in the syntax of armada.conf. */
void value_print(const struct armada_option *row, const struct armada_option_value *v,
		 struct buf *out);
/* The same in the arena. */
const char *value_text(const struct armada_option *row, const struct armada_option_value *v,
		       struct arena *a);
/* Check the syntax of its texts by the row's check. */
int value_check(const struct conf_row *row, const struct armada_option_value *v, struct err *err);
bool value_equal(const struct armada_option *row, const struct armada_option_value *a,
		 const struct armada_option_value *b);

/* Store a value in, or fetch it from, the struct of the row's section. */
void value_store(const struct conf_row *row, const struct armada_option_value *v, void *to);
struct armada_option_value value_fetch(const struct conf_row *row, const void *from);

/* A number in the unit of the option's value, without quotes. */
void print_number(enum armada_option_type type, double v, struct buf *out);
/* A text in quotes. */
void print_quoted(const char *text, struct buf *out);
