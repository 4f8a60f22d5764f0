/*
 * Checks of the syntax of texts in armada.conf.
 *
 * Each is a conf_check function: it returns 0, or -EINVAL with a sentence that has the accepted form.
 */
#pragma once

#include "util/err.h"

int check_text(const char *text, struct err *err); /* not empty */
int check_name(const char *text, struct err *err);
int check_user(const char *text, struct err *err);
int check_account(const char *text, struct err *err);
/* The key and the value of a label of a job; the value may be empty. */
int check_label_key(const char *text, struct err *err);
int check_label_value(const char *text, struct err *err);
int check_path(const char *text, struct err *err);
int check_address(const char *text, struct err *err);
int check_ports(const char *text, struct err *err);  /* conf/port_range.h */
int check_amount(const char *text, struct err *err); /* conf/quantity.h */
int check_share(const char *text, struct err *err);
int check_submit_rate(const char *text, struct err *err); /* conf/quota.h */
int check_label(const char *text, struct err *err);
int check_taint(const char *text, struct err *err);
int check_propagate(const char *text, struct err *err); /* a list of util/rlimits.h */
int check_resource_unit(const char *text, struct err *err);
int check_groups(const char *text, struct err *err);
int check_cpu_containment(const char *text, struct err *err);
int check_permission(const char *text, struct err *err);

/* UTF-8 without control characters, which every text of the file must be. */
int check_printable(const char *text, struct err *err);
