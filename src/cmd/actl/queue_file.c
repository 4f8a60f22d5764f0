/*
 * Reads a file of queues for actl queue create and update.
 *
 * The text is parsed like armada.conf, but may have queues only. The controller checks the queues
 * without knowing the file; queue_file_locate_error() finds the quoted name of its message in the
 * file and adds the line.
 */
#include "cmd/actl/queue.h"
#include "util/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int read_text(const char *file, struct buf *out, struct err *err)
{
	bool input = strcmp(file, "-") == 0;
	CLEANUP_CLOSE int fd = input ? dup(STDIN_FILENO) : open(file, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		int rc = err_sys(err, -errno, "%s", file);

		return rc == -ENOENT ? -EINVAL
				     : rc; /* -ENOENT would be reported as a missing queue */
	}
	return conf_read_text(fd, file, out, err);
}

int queue_file_read(const char *file, struct arena *a, struct queue_file *ret, struct err *err)
{
	CLEANUP_BUF struct buf text = {0};
	struct queue_file f = {.conf = NULL};
	int rc = read_text(file, &text, err);

	if (rc == 0)
		rc = conf_parse_queues(&f.conf, strcmp(file, "-") == 0 ? "standard input" : file,
				       (const char *)text.data, err);
	if (rc < 0) /* an invalid file is not a usage error */
		return f.conf || text.len ? -EBADMSG : rc;
	f.count = f.conf->queue_count;
	f.specs = arena_alloc(a, f.count * sizeof(*f.specs));
	for (size_t i = 0; rc == 0 && i < f.count; i++)
		rc = queue_spec_of(f.conf, &f.conf->queues[i], a, &f.specs[i], err);
	if (rc < 0)
		queue_file_done(&f);
	else
		*ret = f;
	return rc;
}

void queue_file_done(struct queue_file *f)
{
	conf_free(f->conf);
	f->conf = NULL;
}

/* The line of the first queue that has the word in this field; 0: none. */
static int line_of_word(const struct queue_file *f, enum queue_index field, const char *word)
{
	for (size_t i = 0; i < f->count; i++) {
		const struct armada_option_value *v = &f->conf->queues[i].values[field];

		for (size_t k = 0; k < v->count; k++) {
			const char *at = strstr(v->list[k], word);
			char after = at ? at[strlen(word)] : '\0';

			if (at && (at == v->list[k] || at[-1] == ':') && (!after || after == '='))
				return conf_line(f->conf, "queues", i, queue_fields[field].name);
		}
	}
	return 0;
}

/* Adds the line at which an unknown user or group is named. */
static int locate_user_error(const struct queue_file *f, int rc, struct err *err)
{
	CLEANUP_FREE char *text = xstrdup(err->text);
	char *word = strchr(text, '\''), *end = word ? strchr(word + 1, '\'') : NULL;

	if (!end)
		return rc;
	*end = '\0';
	for (size_t i = 0; i < QUEUE_FIELDS; i++) {
		bool names = queue_fields[i].shape == QUEUE_SHAPE_USERS ||
			     queue_fields[i].shape == QUEUE_SHAPE_GROUPS ||
			     queue_fields[i].shape == QUEUE_SHAPE_PERMITS;
		int line = names ? line_of_word(f, i, word + 1) : 0;

		if (line)
			return err_prefix(err, rc, "%s: line %d: %s", f->conf->file, line,
					  queue_fields[i].name);
	}
	return rc;
}

int queue_file_locate_error(const struct queue_file *f, int rc, struct err *err)
{
	static const char begin[] = "queue '";
	const char *name = err->text + strlen(begin);

	if (rc >= 0)
		return rc;
	if (strncmp(err->text, begin, strlen(begin)) != 0)
		return locate_user_error(f, rc, err);
	for (size_t i = 0; i < f->count; i++) {
		size_t len = strlen(f->specs[i]->name);

		if (strncmp(name, f->specs[i]->name, len) == 0 && name[len] == '\'')
			return err_prefix(err, rc, "%s: line %d", f->conf->file,
					  conf_line(f->conf, "queues", i, "name"));
	}
	return rc;
}
