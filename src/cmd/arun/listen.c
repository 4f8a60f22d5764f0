/*
 * The listening sockets of arun.
 *
 * The nodes can reach the controllers. It is assumed that they can also reach this machine at the
 * address from which it connects to a controller. That address is found by connecting a datagram
 * socket, which sends no packet. On a cluster of one machine, where controllers are Unix sockets,
 * arun listens on loopback. The ports are those of arun_ports in armada.conf, or any.
 */
#include "cmd/arun/listen.h"

#include "conf/port_range.h"
#include "util/mem.h"
#include "wire/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BACKLOG = 4096 };

static void set_port(struct address *a, uint16_t port)
{
	if (a->sa.ss_family == AF_INET)
		((struct sockaddr_in *)&a->sa)->sin_port = htons(port);
	else
		((struct sockaddr_in6 *)&a->sa)->sin6_port = htons(port);
}

/* Listens on the address; ret_bound: with the port. Returns the socket or a negative errno. */
static int listen_on(const struct address *a, struct address *ret_bound)
{
	int fd = address_socket(a), rc;

	*ret_bound = *a;
	if (fd < 0)
		return fd;
	/* connections of an arun that has ended do not keep its port from the next one */
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int)) < 0 ||
	    bind(fd, (const struct sockaddr *)&a->sa, a->len) < 0 || listen(fd, BACKLOG) < 0 ||
	    getsockname(fd, (struct sockaddr *)&ret_bound->sa, &ret_bound->len) < 0) {
		rc = -errno;
		close(fd);
		return rc;
	}
	return fd;
}

/* Each process begins at another port of the range, so that few of them try the same ones. */
static int listen_within(const struct address *a, const struct port_range *ports,
			 struct address *ret_bound)
{
	unsigned count = ports->last - ports->first + 1U;
	struct address at = *a;
	int fd = -EADDRINUSE;

	for (unsigned i = 0; i < count && fd == -EADDRINUSE; i++) {
		set_port(&at, (uint16_t)(ports->first + ((unsigned)getpid() + i) % count));
		fd = listen_on(&at, ret_bound);
	}
	return fd;
}

/* ports: of arun_ports; NULL: the system chooses one. */
static int add(struct listeners *l, const struct address *a, const struct port_range *ports,
	       struct err *err)
{
	struct address bound;
	char text[ADDRESS_TEXT];
	int fd = ports ? listen_within(a, ports, &bound) : listen_on(a, &bound);

	address_format((const struct sockaddr *)&bound.sa, bound.len, text);
	if (fd == -EADDRINUSE && ports)
		return err_set(
			err, fd,
			"all ports from %u to %u (arun_ports in armada.conf) are in use on %s",
			ports->first, ports->last, text);
	if (fd < 0)
		return err_sys(err, fd, "cannot listen on %s", text);
	snprintf(l->addresses[l->count], LISTENER_TEXT,
		 a->sa.ss_family == AF_INET6 ? "[%s]:%u" : "%s:%u", text,
		 address_port((const struct sockaddr *)&bound.sa));
	l->fds[l->count++] = fd;
	return 0;
}

/* The address of this machine from which it connects to peer. */
static bool own_address(const struct address *peer, struct address *ret)
{
	CLEANUP_CLOSE int fd = socket(peer->sa.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	*ret = (struct address){.len = sizeof(ret->sa)};
	if (fd < 0 || connect(fd, (const struct sockaddr *)&peer->sa, peer->len) < 0 ||
	    getsockname(fd, (struct sockaddr *)&ret->sa, &ret->len) < 0)
		return false;
	if (ret->sa.ss_family == AF_INET6 &&
	    IN6_IS_ADDR_LINKLOCAL(&((struct sockaddr_in6 *)&ret->sa)->sin6_addr))
		return false;
	set_port(ret, 0);
	return true;
}

static bool contains(const struct address *list, size_t count, const struct address *a)
{
	for (size_t i = 0; i < count; i++)
		if (list[i].len == a->len && memcmp(&list[i].sa, &a->sa, a->len) == 0)
			return true;
	return false;
}

static size_t own_addresses(const struct conf *conf, struct address list[LISTENERS])
{
	struct address peers[ADDRESSES], own;
	size_t count = 0;

	for (size_t i = 0; i < conf->controller_count; i++) {
		int n = conf->controllers[i][0] == '/'
				? 0
				: address_resolve(conf->controllers[i], false, peers, NULL);

		for (int k = 0; k < n && count < LISTENERS; k++)
			if (own_address(&peers[k], &own) && !contains(list, count, &own))
				list[count++] = own;
	}
	return count;
}

int listeners_open(struct listeners *l, const struct conf *conf, struct err *err)
{
	struct address list[LISTENERS];
	size_t count = own_addresses(conf, list);
	bool bounded = conf->arun_ports && *conf->arun_ports;
	struct port_range ports;

	*l = (struct listeners){0};
	if (bounded && port_range_parse(conf->arun_ports, &ports, err) < 0)
		return -EINVAL;
	if (count == 0 && address_resolve("127.0.0.1:0", false, list, err) > 0)
		count = 1;
	for (size_t i = 0; i < count; i++)
		add(l, &list[i], bounded ? &ports : NULL, err);
	return l->count ? 0 : -EADDRNOTAVAIL;
}

void listeners_close(struct listeners *l)
{
	for (size_t i = 0; i < l->count; i++)
		close(l->fds[i]);
	l->count = 0;
}
