/*
 * Job scripts: valid and refused scripts, #ARMADA lines and how their words are split.
 */
#include "client/script.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct {
	const char *text;
	size_t len;       /* 0: strlen */
	const char *part; /* NULL: valid */
} scripts[] = {
	{"#!/bin/sh\necho\n", 0, NULL},
	{"#!/bin/sh", 0, NULL},
	{"#! /usr/bin/env python3\n", 0, NULL},
	{"", 0, "is empty"},
	{" \n\t\n", 0, "is empty"},
	{"\x7f"
	 "ELF\0\0",
	 6, "binary file"},
	{"#!/bin/sh\necho \0\n", 17, "binary file"},
	{"echo hi\n", 0, "line 1: does not begin with #!"},
	{"#ARMADA -n 1\n", 0, "does not begin with #!"},
	{"#!/bin/sh\r\necho\r\n", 0, "DOS line ends"},
};

static void check_script(size_t i)
{
	size_t len = scripts[i].len ? scripts[i].len : strlen(scripts[i].text);
	struct err err = {0};
	int rc = script_check("x.sh", scripts[i].text, len, &err);

	is_int(rc, scripts[i].part ? -ENOEXEC : 0, "script %zu: %s", i,
	       scripts[i].part ? scripts[i].part : "good");
	if (scripts[i].part) {
		has_str(err.text, scripts[i].part, "script %zu: the error", i);
		has_str(err.text, "x.sh: ", "script %zu: the error has the name", i);
	}
}

/* The text after "#!/bin/sh\n"; the resulting name of the job, or the error. */
static const struct {
	const char *text, *name, *refusal;
} directives[] = {
	{"#ARMADA --name=a\n", "a", NULL},
	{"#ARMADA -J a -c 2\n", "a", NULL},
	{"#ARMADA\t-J\ta\n", "a", NULL},
	{"#ARMADA -Ja", "a", NULL},
	{"#ARMADA -J a\r\n", "a", NULL},
	{"#ARMADA --name='a b'\n", "a b", NULL},
	{"#ARMADA --name=\"a 'b'\"\n", "a 'b'", NULL},
	{"#ARMADA --name=a\\ b\n", "a b", NULL},
	{"#ARMADA --name='a\\b'\n", "a\\b", NULL},
	{"#ARMADA -J a # --name=b\n", "a", NULL},
	{"#ARMADA -J a#b\n", "a#b", NULL},
	{"# a comment\n\n#ARMADA -J a\n", "a", NULL},
	{"#ARMADA -J a\n#ARMADA -J b\n", "b", NULL},
	{"##ARMADA -J a\n", "", NULL},
	{"#ARMADAX -J a\n", "", NULL},
	{" #ARMADA -J a\n", "", NULL},
	{"echo\n#ARMADA -J a\n", "", NULL},
	{"#ARMADA -J a\necho\n#ARMADA -J b\n", "a", NULL},
	{"\n#ARMADA --memory=lots\n", NULL, "x.sh: line 3: memory: "},
	{"#ARMADA --memroy=4G\n", NULL,
	 "x.sh: line 2: unknown option --memroy; did you mean --memory?"},
	{"#ARMADA --time=1 --wait\n", NULL,
	 "x.sh: line 2: --wait is for the command line only, not for a script"},
	{"#ARMADA -J\n", NULL, "x.sh: line 2: -J: needs a value: NAME"},
	{"#ARMADA\n", NULL, "x.sh: line 2: no option after #ARMADA"},
	{"#ARMADA name=a\n", NULL, "x.sh: line 2: 'name=a' is not an option; write --name=value"},
	{"#ARMADA --name='a\n", NULL, "x.sh: line 2: a quote is not closed"},
	{"#ARMADA --name=a\x01\n", NULL, "x.sh: line 2: name: holds a control character"},
	{"#ARMADA --mem=1G --mem-per-cpu=1G\n", NULL, "x.sh: line 2: mem-per-cpu: cannot be given"},
};

static void check_directive(size_t i)
{
	CLEANUP_FREE char *text = xasprintf("#!/bin/sh\n%s", directives[i].text);
	struct script_notes notes;
	struct err err = {0};
	struct spec s;
	int rc;

	spec_init(&s);
	rc = script_directives(&s, "x.sh", text, strlen(text), &notes, &err);
	if (directives[i].refusal) {
		is_int(rc, -EINVAL, "directive %zu is refused", i);
		has_str(err.text, directives[i].refusal, "directive %zu: the error", i);
	} else {
		is_int(rc, 0, "directive %zu is accepted%s", i, err.text);
		is_str(s.job.name, directives[i].name, "directive %zu: name", i);
	}
	spec_done(&s);
}

static void check_notes(void)
{
	static const char late[] = "#!/bin/sh\n#ARMADA -J a\n#SBATCH -J b\necho\n#ARMADA -J c\n";
	static const char sbatch[] = "#!/bin/sh\n#SBATCH -J b\necho\n";
	struct script_notes notes;
	struct err err;
	struct spec s;

	spec_init(&s);
	script_directives(&s, "x", late, strlen(late), &notes, &err);
	is_int(notes.late_line, 5, "a directive after the first command is reported");
	is_int(notes.sbatch_line, 0, "#SBATCH beside #ARMADA is not reported");
	script_directives(&s, "x", sbatch, strlen(sbatch), &notes, &err);
	is_int(notes.sbatch_line, 2, "#SBATCH alone is reported");
	spec_done(&s);
}

static void check_reading(void)
{
	char path[] = "/tmp/armada-script-XXXXXX";
	int fd = mkstemp(path);
	CLEANUP_BUF struct buf text = {0};
	struct err err = {0};

	if (fd < 0 || write(fd, "#!/bin/sh\n", 10) != 10)
		bail("cannot write %s", path);
	is_int(script_read(path, 10, &text, &err), 0, "a script is read");
	is_int(text.len, 10, "the script is complete");
	buf_clear(&text);
	is_int(script_read(path, 9, &text, &err), -EFBIG, "a script above the limit is refused");
	has_str(err.text, "that a script may have", "the error gives the limit");
	buf_clear(&text);
	is_int(script_read("/tmp", 9, &text, &err), -EISDIR, "a directory is refused");
	is_int(script_read("/nonexistent", 9, &text, &err), -ENOENT, "a missing file is refused");
	has_str(err.text, "cannot open /nonexistent: ", "the error names the file");
	close(fd);
	unlink(path);
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(scripts); i++)
		check_script(i);
	for (size_t i = 0; i < ARRAY_SIZE(directives); i++)
		check_directive(i);
	check_notes();
	check_reading();
	return done();
}
