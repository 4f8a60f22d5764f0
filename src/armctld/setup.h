/*
 * The modes of armctld that exit at once; each returns an exit code.
 */
#pragma once

#include "armctld/ctld.h"

int setup_init(const char *conf_file, const char *name);
int setup_check(const char *conf_file);
int setup_show(const char *conf_file, bool changed);
/* Check that the process runs as the configured user. */
int setup_check_user(const struct conf *conf, const struct policy *policy, struct err *err);
/* The name of this controller (conf/controllers.h); a state of one controller needs none. */
int setup_take_name(struct conf *conf, const char *name, const char *host, struct err *err);
