/* The process: its configuration, listeners and users. */
#pragma once

#include "armrestd/bodies.h"
#include "armrestd/users.h"
#include "conf/conf.h"
#include "util/err.h"

#include <microhttpd.h>
#include <stdatomic.h>

struct connections;
struct metrics;

struct rest {
	struct connection *own; /* as the user of the gateway; never given to a user */
	const struct conf *conf;
	struct users *users;
	struct metrics *metrics;
	struct connections *connections;
	struct bodies bodies; /* of requests in memory */
	struct MHD_Daemon *tcp, *local;
	char *socket_path; /* of the Unix socket; NULL: none */
	char *cert, *key;  /* texts; NULL: no TLS */
	atomic_bool stopping;
	int stop_fd; /* readable from then on */
};

/* Listen as the section rest of armada.conf says. */
int rest_start(struct rest *r, struct err *err);
/* End the listeners; exchanges that run are answered first. */
void rest_stop(struct rest *r);
