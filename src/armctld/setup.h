/*
 * The modes of armctld that are not the daemon; each returns an exit code.
 */
#pragma once

#include "armctld/ctld.h"

int setup_init(const char *conf_file);
int setup_check(const char *conf_file);
int setup_show(const char *conf_file);
/* The uid that the configuration names must be ours. */
int setup_check_user(const struct conf *conf, const struct policy *policy, struct err *err);
