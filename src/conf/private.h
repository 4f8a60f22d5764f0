/*
 * The private part of a loaded configuration: the parsed file, the arena of all values, and the set of
 * values that were written.
 */
#pragma once

#include "conf/conf.h"
#include "conf/tables.h"
#include "util/arena.h"
#include <libconfig.h>

struct conf_priv {
	config_t cfg;
	struct arena *arena;
	bool *set[CONF_SECTIONS];   /* one for each row */
	bool *list_set[CONF_LISTS]; /* one for each row of each struct */
	bool listed[CONF_LISTS];    /* the list is in the file */
	struct {
		const config_setting_t *setting;  /* NULL: not in the file */
		const struct armada_option *rows; /* after conf_plugin_options */
		size_t count;
	} plugins[CONF_PLUGIN_KINDS];
};

/* Put "FILE: line N: name" before the text of err. */
int conf_at(const struct conf *c, const config_setting_t *s, int code, struct err *err);

/* The rules between values of one file. */
int conf_check_rules(const struct conf *c, struct err *err);

/* Set the default of each row. */
int conf_set_defaults(struct conf *c, const struct conf_row *rows, size_t count, void *to,
		      struct err *err);

/* classes.c: the priority classes of a file without priority_classes. */
int conf_default_classes(struct conf *c, struct err *err);

/* queue_rules.c: the rules of queues and limits. */
int conf_check_queues(const struct conf *c, struct err *err);
int conf_check_each_queue(const struct conf *c, struct err *err);

/* A burst without a rate is refused; prefix: before the names of both options. */
int conf_check_burst(const struct armada_option_value *burst,
		     const struct armada_option_value *rate, const char *prefix, struct err *err);
/* account_rules.c: the rules of accounts. */
int conf_check_accounts(const struct conf *c, struct err *err);

/* Read the plugins section, but not the plugins' own options. */
int conf_read_plugins(struct conf *c, const config_setting_t *section, struct err *err);

/* "unknown key; did you mean 'y'?"; words are the keys that are allowed there. */
int conf_unknown(const char *key, const char *const *words, size_t count, struct err *err);

/* Print a plugin; options that were not checked are printed as they were written. */
void conf_show_plugin(const struct conf *c, int kind, struct buf *out);

static inline struct conf_priv *conf_priv(const struct conf *c)
{
	return c->priv;
}
