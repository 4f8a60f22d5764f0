#include "cmd/arun/output.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_CHUNK = 256 << 10 };

void sink_init(struct sink *s, int fd, uint32_t tasks, bool label)
{
	struct stat st;
	char number[16];

	*s = (struct sink){.fd = fd, .lines = tasks > 1 || label, .label = label};
	s->width = snprintf(number, sizeof(number), "%u", tasks ? tasks - 1 : 0);
	/* a descriptor that is ready for one byte takes this much without blocking */
	s->at_once = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? FILE_CHUNK : PIPE_BUF;
}

void sink_done(struct sink *s)
{
	buf_done(&s->out);
}

/* How many bytes may be moved now: whole lines, unless one line fills the whole buffer. */
static size_t sendable(struct task_output *p, const struct sink *s, bool full)
{
	const uint8_t *end;

	if (!s->lines || p->ended || p->text.len == 0 || s->broken)
		return p->text.len;
	end = memrchr(p->text.data + p->searched, '\n', p->text.len - p->searched);
	if (end)
		return (size_t)(end - p->text.data) + 1;
	p->searched = p->text.len;
	return full ? p->text.len : 0;
}

bool task_output_ready(struct task_output *p, const struct sink *s, bool full)
{
	return sendable(p, s, full) > 0;
}

/* Adds a label to each line. A last line without a newline gets one. */
static void add_lines(struct sink *s, const uint8_t *text, size_t len, uint32_t rank)
{
	while (len) {
		const uint8_t *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) + 1 : len;

		buf_addf(&s->out, "%*u: ", s->width, rank);
		buf_add(&s->out, text, n);
		if (!end)
			buf_addc(&s->out, '\n');
		text += n;
		len -= n;
	}
}

size_t sink_fill(struct sink *s, struct task_output *p, uint32_t rank, bool full)
{
	size_t n = sendable(p, s, full);

	if (s->broken)
		;
	else if (s->label)
		add_lines(s, p->text.data, n, rank);
	else
		buf_add(&s->out, p->text.data, n);
	buf_drop(&p->text, n);
	p->searched = 0;
	return n;
}

int sink_write(struct sink *s)
{
	size_t left = s->out.len - s->written;
	ssize_t n = 0;

	if (left)
		n = write(s->fd, s->out.data + s->written, left < s->at_once ? left : s->at_once);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	s->broken |= n < 0;
	s->written += n > 0 ? (size_t)n : 0;
	if (n < 0 || s->written == s->out.len) {
		buf_clear(&s->out);
		s->written = 0;
	}
	return n < 0 ? -EPIPE : 0;
}
