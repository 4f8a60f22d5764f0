/*
 * Addresses as they are written: "host:port", "[v6]:port", ":port" (every address) or "/path".
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
 * Everything the text may mean, in order of preference; asks the resolver, so it may block when a
 * name is given. passive: to listen on. Returns how many (1 .. ADDRESSES) or a negative errno.
 */
int address_resolve(const char *text, bool passive, struct address ret_list[ADDRESSES],
		    struct err *err);

/* "10.0.0.1", "::1", or the path of a Unix socket ("local" when it has none). */
void address_format(const struct sockaddr *sa, socklen_t len, char ret_text[ADDRESS_TEXT]);
/* Of a TCP address; else 0. */
uint16_t address_port(const struct sockaddr *sa);

/*
 * For a TCP socket: nothing waits for more to send, and a peer whose machine is gone is noticed
 * within two minutes.
 */
void address_tune(int fd, sa_family_t family);
/* A socket of the address's family, close-on-exec, non-blocking, tuned; or a negative errno. */
int address_socket(const struct address *a);
