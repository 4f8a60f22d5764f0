/*
 * The connections of clients: how many there are, and which of them has to go.
 *
 * One thread accepts connections and gives them to the library. A client that has not sent a whole
 * request within twice rest.timeout loses its connection. While rest.connections are open, a new
 * one takes the place of the one that has waited longest for the rest of a request; if all others
 * are being answered, the new one is refused in words. So idle connections, however many, do not
 * keep others out.
 */
#pragma once

#include "util/err.h"

#include <microhttpd.h>
#include <stdbool.h>

struct connections;

/* most: connections that may be open; timeout_us: rest.timeout */
struct connections *connections_new(unsigned most, int64_t timeout_us);
/*
 * Accepts connections of a listener for a daemon, which calls connections_notify; takes the
 * descriptor.
 */
void connections_add_listener(struct connections *c, int fd, struct MHD_Daemon *daemon, bool tls);
/* Starts the thread. */
int connections_start(struct connections *c, struct err *err);
/* Ends the thread; the library closes its connections itself. */
void connections_stop(struct connections *c);
void connections_free(struct connections *c);
/* MHD_OPTION_NOTIFY_CONNECTION */
void connections_notify(void *arg, struct MHD_Connection *http, void **context,
			enum MHD_ConnectionNotificationCode what);

enum connection_state {
	CONNECTION_NONE,
	CONNECTION_WAITS,  /* for a request, or the rest of its headers */
	CONNECTION_BODY,   /* for the rest of a body */
	CONNECTION_ANSWER, /* the request is whole: it is answered */
	CONNECTION_STREAM, /* events are sent until the client goes */
	CONNECTION_CLOSING
};

/* The state of a connection from now on. O(1). */
void connections_mark(struct connections *c, struct MHD_Connection *http,
		      enum connection_state state);
