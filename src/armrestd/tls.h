/* The certificate of the server and its key. */
#pragma once

#include "conf/conf.h"
#include "util/err.h"

/* TLS 1.2 and 1.3 only. */
#define TLS_PRIORITIES "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

/*
 * Reads rest.tls_certificate and rest.tls_key, and checks that they belong together. On success the caller
 * frees the texts. -errno with the option and the file otherwise.
 */
int tls_read(const struct conf *conf, char **ret_cert, char **ret_key, struct err *err);
