/*
 * Addresses as text: "host:port", "[v6]:port", ":port" (all local addresses) or "/path".
 */
#pragma once

#include "util/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

struct address {
	struct sockaddr_storage sa;
	socklen_t len;
};

enum { ADDRESSES = 8, ADDRESS_TEXT = 128 };

/*
 * All addresses of the text, in order of preference. The resolver is asked for a name, so this may block.
 * passive: to listen on. Returns their number (1 .. ADDRESSES) or a negative errno.
 */
int address_resolve(const char *text, bool passive, struct address ret_list[ADDRESSES],
		    struct err *err);

/* "10.0.0.1", "::1", or the path of a Unix socket ("local" when it has none). */
void address_format(const struct sockaddr *sa, socklen_t len, char ret_text[ADDRESS_TEXT]);
/* The port of a TCP address; otherwise 0. */
uint16_t address_port(const struct sockaddr *sa);

/*
 * Options of a TCP socket: data is sent without delay, and the loss of the peer's machine is detected within
 * two minutes.
 */
void address_tune(int fd, sa_family_t family);
/* A socket of the address's family, close-on-exec, non-blocking, tuned; or a negative errno. */
int address_socket(const struct address *a);
