/*
 * Parses and resolves addresses, and creates sockets for them (address.h). Input: "host:port",
 * "[v6]:port", ":port" or "/path". Output: socket addresses, or an error. Caveat: address_resolve
 * may block, because it asks the resolver; daemons call it on a worker thread.
 */
#include "wire/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

static int unix_resolve(const char *path, struct address *ret, struct err *err)
{
	struct sockaddr_un *un = (struct sockaddr_un *)&ret->sa;
	size_t len = strlen(path);

	if (len >= sizeof(un->sun_path))
		return err_set(err, -ENAMETOOLONG,
			       "%s has %zu characters; the path of a Unix socket has at most %zu",
			       path, len, sizeof(un->sun_path) - 1);
	*ret = (struct address){
		.len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len + 1)};
	un->sun_family = AF_UNIX;
	memcpy(un->sun_path, path, len + 1);
	return 1;
}

/* Split "host:port"; brackets around an IPv6 host are removed. */
static int host_port(const char *text, char *ret_host, size_t host_size, const char **ret_port,
		     struct err *err)
{
	const char *colon = strrchr(text, ':');
	size_t len = colon ? (size_t)(colon - text) : 0;

	if (len >= 2 && text[0] == '[' && text[len - 1] == ']') {
		text++;
		len -= 2;
	} else if (colon && memchr(text, ':', len)) {
		colon = NULL;
	}
	if (!colon || !colon[1] || colon[1 + strspn(colon + 1, "0123456789")] ||
	    strlen(colon) > 6 || len >= host_size)
		return err_set(
			err, -EINVAL,
			"%s: not an address: \"host:port\", \"[IPv6]:port\", \":port\" or the "
			"path of a Unix socket is expected",
			text);
	memcpy(ret_host, text, len);
	ret_host[len] = '\0';
	*ret_port = colon + 1;
	return 0;
}

int address_resolve(const char *text, bool passive, struct address ret_list[ADDRESSES],
		    struct err *err)
{
	struct addrinfo hints = {.ai_family = AF_UNSPEC,
				 .ai_socktype = SOCK_STREAM,
				 .ai_flags = (passive ? AI_PASSIVE : 0) | AI_NUMERICSERV};
	struct addrinfo *list = NULL;
	const char *port = NULL;
	char host[256];
	int n = 0, rc;

	if (text[0] == '/')
		return unix_resolve(text, &ret_list[0], err);
	rc = host_port(text, host, sizeof(host), &port, err);
	if (rc)
		return rc;
	rc = getaddrinfo(host[0] ? host : NULL, port, &hints, &list);
	if (rc)
		return err_set(err, rc == EAI_AGAIN ? -EAGAIN : -EHOSTUNREACH, "%s: %s", text,
			       rc == EAI_SYSTEM ? strerror(errno) : gai_strerror(rc));
	for (struct addrinfo *i = list; i && n < ADDRESSES; i = i->ai_next) {
		if (i->ai_addrlen > sizeof(ret_list[n].sa))
			continue;
		ret_list[n].len = i->ai_addrlen;
		memcpy(&ret_list[n++].sa, i->ai_addr, i->ai_addrlen);
	}
	freeaddrinfo(list);
	return n ? n : err_set(err, -EHOSTUNREACH, "%s: no usable address", text);
}

void address_format(const struct sockaddr *sa, socklen_t len, char ret_text[ADDRESS_TEXT])
{
	const struct sockaddr_un *un = (const struct sockaddr_un *)sa;

	snprintf(ret_text, ADDRESS_TEXT, "local");
	if (sa->sa_family == AF_INET)
		inet_ntop(AF_INET, &((const struct sockaddr_in *)sa)->sin_addr, ret_text,
			  ADDRESS_TEXT);
	else if (sa->sa_family == AF_INET6)
		inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)sa)->sin6_addr, ret_text,
			  ADDRESS_TEXT);
	else if (sa->sa_family == AF_UNIX && len > offsetof(struct sockaddr_un, sun_path) &&
		 un->sun_path[0])
		snprintf(ret_text, ADDRESS_TEXT, "%.*s",
			 (int)(len - offsetof(struct sockaddr_un, sun_path)), un->sun_path);
}

uint16_t address_port(const struct sockaddr *sa)
{
	return sa->sa_family == AF_INET    ? ntohs(((const struct sockaddr_in *)sa)->sin_port)
	       : sa->sa_family == AF_INET6 ? ntohs(((const struct sockaddr_in6 *)sa)->sin6_port)
					   : 0;
}

void address_tune(int fd, sa_family_t family)
{
	static const struct {
		int level, name, value;
	} options[] = {
		{IPPROTO_TCP, TCP_NODELAY, 1},   {SOL_SOCKET, SO_KEEPALIVE, 1},
		{IPPROTO_TCP, TCP_KEEPIDLE, 60}, {IPPROTO_TCP, TCP_KEEPINTVL, 15},
		{IPPROTO_TCP, TCP_KEEPCNT, 4},
	};

	if (family == AF_UNIX)
		return;
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		setsockopt(fd, options[i].level, options[i].name, &options[i].value, sizeof(int));
}

int address_socket(const struct address *a)
{
	int fd = socket(a->sa.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	address_tune(fd, a->sa.ss_family);
	return fd;
}
