/* The environment that a job captures. */
#include "client/environ.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <errno.h>
#include <string.h>

static char *const env[] = {(char *)"PATH=/bin",
			    (char *)"HOME=/home/ann",
			    (char *)"ARMADA_JOB_ID=5",
			    (char *)"ARMADA_TASK_RANK=0",
			    (char *)"ARMADA_CONF=/etc/a",
			    (char *)"ARMADA_QUEUE=q",
			    (char *)"EMPTY=",
			    (char *)"=strange",
			    (char *)"ARMADA_NODE_LIST=cn1",
			    NULL};

static const struct {
	const char *exported, *captured; /* a ; stands for NUL */
} cases[] = {
	{NULL, "PATH=/bin;HOME=/home/ann;ARMADA_CONF=/etc/a;EMPTY=;"},
	{"ALL", "PATH=/bin;HOME=/home/ann;ARMADA_CONF=/etc/a;EMPTY=;"},
	{"NONE", "HOME=/home/ann;PATH=/bin;"},
	{"HOME", "HOME=/home/ann;PATH=/bin;"},
	{"EMPTY,NOSUCH", "HOME=/home/ann;PATH=/bin;EMPTY=;"},
	{"EMPTY,A=1", "HOME=/home/ann;PATH=/bin;EMPTY=;A=1;"},
	{"PATH=/usr/bin,A=1", "HOME=/home/ann;PATH=/usr/bin;A=1;"},
	{"HO", "HOME=/home/ann;PATH=/bin;"},
	{"A=1,ALL", "PATH=/bin;HOME=/home/ann;ARMADA_CONF=/etc/a;EMPTY=;A=1;"},
	{"ALL,EMPTY", "PATH=/bin;HOME=/home/ann;ARMADA_CONF=/etc/a;EMPTY=;"},
	{"ALL,A=1", "PATH=/bin;HOME=/home/ann;ARMADA_CONF=/etc/a;EMPTY=;A=1;"},
	{"ALL,PATH=/usr/bin", "HOME=/home/ann;ARMADA_CONF=/etc/a;EMPTY=;PATH=/usr/bin;"},
	{"NONE,A=1", "HOME=/home/ann;PATH=/bin;A=1;"},
	{"ALLY=1", "HOME=/home/ann;PATH=/bin;ALLY=1;"},
};

int main(void)
{
	char *more[] = {(char *)"PATH=/login", (char *)"ARMADA_JOB_ID=7", (char *)"MODULES=/opt",
			NULL};
	CLEANUP_BUF struct buf out = {0};
	struct err err = {0};
	size_t count;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		buf_clear(&out);
		buf_reserve(&out, 1);
		is_int(environ_capture(env, cases[i].exported, 4096, &out, &err), 0, "--export=%s",
		       cases[i].exported ? cases[i].exported : "(not given)");
		for (size_t j = 0; j < out.len; j++)
			out.data[j] = out.data[j] ? out.data[j] : ';';
		is_str((char *)out.data, cases[i].captured, "the captured variables");
	}
	buf_clear(&out);
	environ_capture(env, "NONE", 4096, &out, &err);
	is_int(environ_complete(more, 4096, &out, &err), 0, "variables of a login are added");
	for (size_t j = 0; j < out.len; j++)
		out.data[j] = out.data[j] ? out.data[j] : ';';
	is_str((char *)out.data, "HOME=/home/ann;PATH=/bin;MODULES=/opt;",
	       "those that are there already keep their values");
	buf_clear(&out);
	is_int(environ_complete(more, 5, &out, &err), -E2BIG, "their size is limited, too");
	buf_clear(&out);
	is_int(environ_capture(env, NULL, 20, &out, &err), -E2BIG,
	       "an environment that is too large is refused");
	has_str(err.text, "largest variable is ARMADA_CONF",
		"the error names the largest variable");
	environ_task_variables(&count);
	ok(count > 20, "the table of the variables of a task is not empty");
	return done();
}
