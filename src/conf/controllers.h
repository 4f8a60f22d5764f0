/*
 * The controllers of armada.conf: names, addresses, and which of them this one is.
 */
#pragma once

#include "conf/conf.h"

enum { CONF_CONTROLLERS_MAX = 16, CONTROLLER_NAME = 63 };

/* "[NAME=]ADDRESS"; a conf_check function. */
int check_controller(const char *text, struct err *err);
/* Fill controllers and controller_names from controller_list: names are unique. */
int conf_fill_controllers(struct conf *c, struct err *err);
/*
 * Which controller this process is: the one called name, or if name is NULL the one whose name or host is
 * that of this machine, or the only one. "%n" in state_dir, run_dir and listen becomes its name. -ENOENT:
 * none of several; the sentence has the names.
 */
int conf_take_name(struct conf *c, const char *name, const char *host, struct err *err);
