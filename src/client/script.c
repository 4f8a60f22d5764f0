/*
 * Reads job scripts, checks them, and applies their #ARMADA lines.
 *
 * A directive ends at the first command of the script. Its words are split and unquoted here, and
 * set like options of the command line.
 */
#include "client/script.h"

#include "client/spec/table.h"
#include "util/mem.h"
#include "util/units.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 65536, WORDS_MAX = 256 };

static const char prefix[] = "#ARMADA";

/* The words of one directive. */
struct words {
	struct arena *arena;
	char *list[WORDS_MAX + 2]; /* the first word takes the place of the program name */
	int count;
};

static int read_all(int fd, int64_t max_bytes, struct buf *out, struct err *err)
{
	char size[32];
	ssize_t n;

	while ((n = read(fd, buf_reserve(out, CHUNK), CHUNK)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(err, -errno, "cannot read it");
		out->len += (size_t)n;
		if ((int64_t)out->len > max_bytes) {
			format_size(max_bytes, size, sizeof(size));
			return err_set(err, -EFBIG,
				       "is larger than the %s that a script may have; let it read "
				       "its data from a file",
				       size);
		}
	}
	buf_reserve(out, 1);
	out->data[out->len] = '\0';
	return 0;
}

int script_read(const char *path, int64_t max_bytes, struct buf *out, struct err *err)
{
	CLEANUP_CLOSE int fd = -1;
	struct stat st;
	int rc;

	if (!path) {
		rc = read_all(STDIN_FILENO, max_bytes, out, err);
		return rc < 0 ? err_prefix(err, rc, "standard input") : 0;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return err_sys(err, -errno, "cannot open %s", path);
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
		return err_set(err, -EISDIR, "%s is a directory; a file is needed", path);
	rc = read_all(fd, max_bytes, out, err);
	return rc < 0 ? err_prefix(err, rc, "%s", path) : 0;
}

int script_check(const char *name, const char *text, size_t len, struct err *err)
{
	const char *newline;

	if (!len || strspn(text, " \t\r\n") == len)
		return err_set(err, -ENOEXEC, "%s: is empty", name);
	if (memchr(text, '\0', len))
		return err_set(err, -ENOEXEC,
			       "%s: is not a script but a binary file; to run a program: "
			       "asubmit -- %s",
			       name, name);
	if (len < 3 || text[0] != '#' || text[1] != '!')
		return err_set(err, -ENOEXEC,
			       "%s: line 1: does not begin with #! and an interpreter, as in "
			       "#!/bin/sh; to run one command: asubmit --wrap 'command'",
			       name);
	newline = memchr(text, '\n', len);
	if (newline && newline[-1] == '\r')
		return err_set(err, -ENOEXEC,
			       "%s: has DOS line ends; remove them: sed -i 's/\\r$//' %s", name,
			       name);
	return 0;
}

/* Reads and unquotes the word at *at, and moves *at to its end. False at the end of the line. */
static bool next_word(struct arena *arena, const char **at, const char *end, char **ret_word,
		      bool *ret_open)
{
	const char *p = *at;
	char quote = 0;
	char *word;
	size_t n = 0;

	while (p < end && (*p == ' ' || *p == '\t' || *p == '\r'))
		p++;
	if (p == end || *p == '#')
		return false;
	word = arena_alloc(arena, (size_t)(end - p) + 1);
	for (; p < end && (quote || (*p != ' ' && *p != '\t' && *p != '\r')); p++) {
		if (quote ? *p == quote : (*p == '\'' || *p == '"'))
			quote = quote ? 0 : *p;
		else if (*p == '\\' && quote != '\'' && p + 1 < end)
			word[n++] = *++p;
		else
			word[n++] = *p;
	}
	word[n] = '\0';
	*at = p;
	*ret_word = word;
	*ret_open = quote;
	return true;
}

static int split_words(const char *text, const char *end, struct words *w, struct err *err)
{
	bool open;

	w->count = 1;
	w->list[0] = (char *)prefix;
	while (next_word(w->arena, &text, end, &w->list[w->count], &open)) {
		if (open)
			return err_set(err, -EINVAL, "a quote is not closed");
		if (++w->count > WORDS_MAX)
			return err_set(err, -EINVAL, "more than %d words", WORDS_MAX);
	}
	w->list[w->count] = NULL;
	return 0;
}

/* Whether it is an option of asubmit that is no option of the job. */
static bool is_asubmit_option(const char *word)
{
	static const char *const names[] = {"--wrap",      "--wait",      "--parsable", "--quiet",
					    "--test-only", "--retry-for", "--help",     "--version",
					    "-W",          "-Q",          "-V"};
	size_t n = strcspn(word, "=");

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strlen(names[i]) == n && !strncmp(names[i], word, n))
			return true;
	}
	return false;
}

static int apply_words(struct spec *s, const struct words *w, struct err *err)
{
	static const struct opt_table *const tables[] = {&spec_options, NULL};
	struct opt_parser p = {.tables = tables, .argv = w->list, .argc = w->count, .next = 1};
	const struct opt *o;
	const char *value;
	int rc;

	if (w->count == 1)
		return err_set(err, -EINVAL, "no option after %s", prefix);
	while ((rc = opt_next(&p, &o, &value, err)) > 0) {
		if (rc == OPT_OPERAND)
			return err_set(err, -EINVAL, "'%.60s' is not an option; write --name=value",
				       value);
		rc = spec_set(s, o, value, err);
		if (rc < 0)
			return err_prefix(err, rc, "%s", o->name);
	}
	if (rc < 0 && is_asubmit_option(w->list[p.next - 1]))
		return err_set(err, rc, "%.60s is for the command line only, not for a script",
			       w->list[p.next - 1]);
	return rc;
}

/* Applies a directive; end is before its newline. */
static int directive(struct spec *s, const char *text, const char *end, struct err *err)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	struct words w = {.arena = arena};
	int rc;

	if (memchr(text, '\0', (size_t)(end - text)))
		return err_set(err, -EINVAL, "holds a NUL byte");
	rc = split_words(text, end, &w, err);
	return rc < 0 ? rc : apply_words(s, &w, err);
}

/* Whether the line, of len bytes, begins with this word. */
static bool begins(const char *line, size_t len, const char *word)
{
	size_t n = strlen(word);

	return len >= n && !memcmp(line, word, n) && (len == n || strchr(" \t\r", line[n]) != NULL);
}

static bool is_command(const char *line, size_t len)
{
	size_t i = 0;

	while (i < len && (line[i] == ' ' || line[i] == '\t' || line[i] == '\r'))
		i++;
	return i < len && line[i] != '#';
}

int script_directives(struct spec *s, const char *name, const char *text, size_t len,
		      struct script_notes *ret_notes, struct err *err)
{
	struct script_notes notes = {0};
	const char *line = text, *stop = text + len;
	bool commands = false, any = false;

	s->source = SPEC_DIRECTIVE;
	for (unsigned number = 1; line < stop; number++) {
		const char *end = memchr(line, '\n', (size_t)(stop - line));
		size_t n = (size_t)((end ? end : stop) - line);

		commands = commands || is_command(line, n);
		if (begins(line, n, prefix) && commands && !notes.late_line) {
			notes.late_line = number;
		} else if (begins(line, n, prefix) && !commands) {
			int rc = directive(s, line + sizeof(prefix) - 1, line + n, err);

			if (rc < 0)
				return err_prefix(err, rc, "%s: line %u", name, number);
			any = true;
		} else if (begins(line, n, "#SBATCH") && !commands && !notes.sbatch_line) {
			notes.sbatch_line = number;
		}
		line += n + 1;
	}
	if (any)
		notes.sbatch_line = 0;
	*ret_notes = notes;
	return 0;
}
