/*
 * The messages between the launcher and the network process: every type is encoded and decoded,
 * invalid ones are refused, and descriptors that a peer adds are closed.
 */
#include "armd/pipe/body.h"
#include "armd/pipe/io.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static void fill(struct pipe_msg *m, enum pipe_type type)
{
	*m = (struct pipe_msg){.type = type, .number = UINT64_C(0x0102030405060708)};
	if (type == PIPE_ORDER) {
		memset(m->order.bytes, 0xa5, ORDER_SIZE);
		m->order.body_fd = -1;
	} else if (type == PIPE_ACKED) {
		m->acked.count = PIPE_KEYS;
		for (uint32_t i = 0; i < PIPE_KEYS; i++)
			m->acked.keys[i] = (struct task_key){UINT64_C(1) << 40, i, i + 1, i + 2};
	} else if (type == PIPE_CONTROLLER) {
		memset(m->controller.cluster_id, 7, 16);
		memset(m->controller.credential, 'c', PIPE_CREDENTIAL - 1);
	} else if (type == PIPE_STAMP) {
		memset(m->stamp, 's', sizeof(m->stamp));
	} else if (type == PIPE_HELLO) {
		m->hello = (struct ledger_meta){.node_id = {1}, .spool_id = {2}, .epoch = 3};
		memset(m->hello.boot_id, 'b', sizeof(m->hello.boot_id) - 1);
	} else if (type == PIPE_REPORT) {
		memset(m->report.packed, 9, PIPE_REPORT_MAX);
		m->report.len = PIPE_REPORT_MAX;
	} else if (type == PIPE_USAGE) {
		m->usage = (struct pipe_usage){.key = {UINT64_C(1) << 40, 1, 2, 3},
					       .used = {INT64_MAX, 1, INT64_MIN, -1, 5, 6, 7}};
	} else if (type == PIPE_STEP) {
		m->step = (struct pipe_step){
			.key = {UINT64_C(1) << 40, 1, 2, 3},
			.state = {.step = UINT32_MAX,
				  .layer = 7,
				  .ended = true,
				  .exit_code = 255,
				  .exit_signal = 64,
				  .start_us = INT64_MAX,
				  .end_us = -1,
				  .usage = {INT64_MAX, 1, INT64_MIN, -1, 5, 6, 7}}};
	} else if (type == PIPE_PROBLEM) {
		m->problem.about = PIPE_ABOUT_SPOOL;
		memset(m->problem.text, 'p', PIPE_TEXT - 1);
	}
}

static const struct {
	enum pipe_type type;
	bool from_launcher;
} types[] = {{PIPE_ORDER, false},     {PIPE_ACKED, false},  {PIPE_CONTROLLER, false},
	     {PIPE_INVENTORY, false}, {PIPE_STAMP, true},   {PIPE_HELLO, true},
	     {PIPE_REPORT, true},     {PIPE_PROBLEM, true}, {PIPE_INVENTORY_END, true},
	     {PIPE_SHUTDOWN, true},   {PIPE_USAGE, true},   {PIPE_OUTPUT, true},
	     {PIPE_STEP, true}};

static void test_codec(void)
{
	static struct pipe_msg in, out;
	static uint8_t bytes[PIPE_DATAGRAM + 1], again[PIPE_DATAGRAM];

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		size_t len, cut = 0;

		fill(&in, types[i].type);
		len = pipe_encode(&in, bytes);
		memset(&out, 0xee, sizeof(out));
		ok(pipe_decode(bytes, len, types[i].from_launcher, &out), "type %d decodes",
		   types[i].type);
		ok(pipe_encode(&out, again) == len && memcmp(bytes, again, len) == 0,
		   "it encodes to the same bytes");
		ok(!pipe_decode(bytes, len, !types[i].from_launcher, &out),
		   "the other side may not send it");
		ok(!pipe_decode(bytes, len + 1, types[i].from_launcher, &out),
		   "a longer message is refused");
		while (cut < len && !pipe_decode(bytes, cut, types[i].from_launcher, &out))
			cut++;
		is_int((long long)cut, (long long)len,
		       "a shorter message of any length is refused");
	}
}

static void test_refusals(void)
{
	static struct pipe_msg m, out;
	static uint8_t bytes[PIPE_DATAGRAM];
	size_t len;

	fill(&m, PIPE_INVENTORY);
	len = pipe_encode(&m, bytes);
	bytes[0] = 99;
	ok(!pipe_decode(bytes, len, false, &out), "an unknown type is refused");
	bytes[0] = PIPE_INVENTORY;
	bytes[5] = 1;
	ok(!pipe_decode(bytes, len, false, &out), "reserved bytes other than zero are refused");
	fill(&m, PIPE_ACKED);
	len = pipe_encode(&m, bytes);
	bytes[17] = 0xff;
	ok(!pipe_decode(bytes, len, false, &out), "a count above the maximum is refused");
	fill(&m, PIPE_PROBLEM);
	snprintf(m.problem.text, sizeof(m.problem.text), "a\nb");
	len = pipe_encode(&m, bytes);
	ok(pipe_decode(bytes, len, true, &out), "a text with control bytes is sent");
	is_str(out.problem.text, "a b", "control bytes become spaces");
	bytes[len - 1] = 0;
	ok(!pipe_decode(bytes, len, true, &out), "a received text with control bytes is refused");
	fill(&m, PIPE_STAMP);
	len = pipe_encode(&m, bytes);
	ok(!pipe_decode(bytes, len, false, &out), "only the launcher may send a stamp");
}

struct ends {
	struct pipe *launcher, *network;
};

static struct ends ends_new(void)
{
	struct err err;
	int fds[2];

	if (pipe_pair(fds, &err) < 0)
		bail("%s", err.text);
	return (struct ends){pipe_new(fds[0], true), pipe_new(fds[1], false)};
}

static void test_order_with_body(void)
{
	static struct pipe_msg m;
	struct ends e = ends_new();
	CLEANUP_FREE uint8_t *data = NULL;
	struct err err;
	size_t len;
	int fd = pipe_body_new("body", 4, &err);

	ok(fd >= 0, "a sealed body is made");
	fill(&m, PIPE_ORDER);
	m.order.body_fd = fd;
	is_int(pipe_send(e.network, &m), 0, "it is sent with its order");
	close(fd);
	is_int(pipe_receive(e.launcher, &m), 1, "the order is received");
	ok(m.order.body_fd >= 0, "it has the body");
	is_int(pipe_body_read(m.order.body_fd, &data, &len, &err), 0, "the body can be read");
	ok(len == 4 && memcmp(data, "body", 4) == 0, "it has the same bytes");
	ok(write(m.order.body_fd, "x", 1) < 0 && ftruncate(m.order.body_fd, 0) < 0,
	   "the receiver cannot change it");
	close(m.order.body_fd);
	is_int(pipe_receive(e.launcher, &m), 0, "there is no further message");
	pipe_free(e.network);
	is_int(pipe_receive(e.launcher, &m), -EPIPE, "the end of the other side is noticed");
	pipe_free(e.launcher);
}

static void test_bad_bodies(void)
{
	CLEANUP_CLOSE int open_memfd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	CLEANUP_CLOSE int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	CLEANUP_CLOSE int big = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	uint8_t *data = NULL;
	struct err err;
	size_t len;

	is_int(pipe_body_read(open_memfd, &data, &len, &err), -EBADMSG,
	       "an unsealed memfd is refused");
	is_int(pipe_body_read(file, &data, &len, &err), -EBADMSG, "a file is refused");
	is_int(pipe_body_read(-1, &data, &len, &err), -EBADMSG, "a missing descriptor is refused");
	if (ftruncate(big, PIPE_BODY_MAX + 1) < 0)
		bail("ftruncate");
	fcntl(big, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
	is_int(pipe_body_read(big, &data, &len, &err), -E2BIG,
	       "a body that is too large is refused");
	ok(!data, "no data is returned");
}

/* Datagrams with unexpected descriptors. */
static void send_raw(int fd, const void *bytes, size_t len, int passed, int times)
{
	char control[CMSG_SPACE(2 * sizeof(int))] = {0};
	struct iovec iov = {(void *)bytes, len};
	struct msghdr mh = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control};
	struct cmsghdr *cm;
	int fds[2] = {passed, passed};

	mh.msg_controllen = CMSG_SPACE((size_t)times * sizeof(int));
	cm = CMSG_FIRSTHDR(&mh);
	cm->cmsg_level = SOL_SOCKET;
	cm->cmsg_type = SCM_RIGHTS;
	cm->cmsg_len = CMSG_LEN((size_t)times * sizeof(int));
	memcpy(CMSG_DATA(cm), fds, (size_t)times * sizeof(int));
	if (sendmsg(fd, &mh, 0) < 0)
		bail("sendmsg");
}

static int lowest_fd(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

static void test_stray_descriptors(void)
{
	static struct pipe_msg m;
	static uint8_t bytes[PIPE_DATAGRAM];
	struct ends e = ends_new();
	int before = lowest_fd();
	size_t len;

	fill(&m, PIPE_INVENTORY);
	len = pipe_encode(&m, bytes);
	send_raw(pipe_fd(e.network), bytes, len, 0, 1);
	is_int(pipe_receive(e.launcher, &m), -EBADMSG, "a descriptor with a message that has none");
	fill(&m, PIPE_ORDER);
	len = pipe_encode(&m, bytes);
	send_raw(pipe_fd(e.network), bytes, len, 0, 2);
	is_int(pipe_receive(e.launcher, &m), -EBADMSG, "two descriptors with one order");
	send_raw(pipe_fd(e.network), "junk", 4, 0, 2);
	is_int(pipe_receive(e.launcher, &m), -EBADMSG, "two descriptors with junk");
	is_int(lowest_fd(), before, "all of them are closed");
	pipe_free(e.launcher);
	pipe_free(e.network);
}

/* A slow launcher loses no message, and the order is kept. */
static void test_full(void)
{
	static struct pipe_msg m;
	struct ends e = ends_new();
	struct err err;
	uint64_t sent = 0, got = 0, in_order = 0, bodies = 0;
	int fd = pipe_body_new("b", 1, &err);

	for (; sent < 3000; sent++) {
		fill(&m, sent % 8 ? PIPE_INVENTORY : PIPE_ORDER);
		m.number = sent;
		if (m.type == PIPE_ORDER)
			m.order.body_fd = fd;
		if (pipe_send(e.network, &m) < 0)
			bail("pipe_send");
	}
	ok(pipe_waiting(e.network) > 0, "more messages than the socket holds were sent");
	while (got < sent) {
		struct pollfd p = {.fd = pipe_fd(e.launcher), .events = POLLIN};

		pipe_flush(e.network);
		if (poll(&p, 1, 5000) <= 0)
			break;
		while (pipe_receive(e.launcher, &m) == 1) {
			in_order += m.number == got++;
			if (m.type == PIPE_ORDER && m.order.body_fd >= 0) {
				bodies++;
				close(m.order.body_fd);
			}
		}
	}
	is_int((long long)got, 3000, "all messages arrive");
	is_int((long long)in_order, 3000, "they arrive in order");
	is_int((long long)bodies, 375, "the bodies arrive too");
	is_int((long long)pipe_waiting(e.network), 0, "no message is queued");
	close(fd);
	pipe_free(e.launcher);
	is_int(pipe_send(e.network, &m), -EPIPE, "a send without a receiver fails");
	pipe_free(e.network);
}

int main(void)
{
	test_codec();
	test_refusals();
	test_order_with_body();
	test_bad_bodies();
	test_stray_descriptors();
	test_full();
	return done();
}
