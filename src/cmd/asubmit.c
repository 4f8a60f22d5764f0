/*
 * asubmit: give a job to the cluster.
 */
#include "cmd/asubmit.h"

#include "client/environ.h"
#include "client/jobfile.h"
#include "client/script.h"
#include "client/spec/finish.h"
#include "cmd/asubmit_send.h"
#include "util/mem.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const struct opt rows[] = {
	{"wrap", NULL, 0, "COMMAND", OPT_TEXT(struct request, wrap),
	 "Run this shell command line instead of a script"},
	{"file", NULL, 0, "FILE", OPT_TEXT(struct request, file),
	 "Read the job and its groups of tasks from this job file"},
	{"wait", NULL, 'W', NULL, OPT_FLAG(struct request, wait),
	 "Wait for the job's end and return its exit code"},
	{"parsable", NULL, 0, NULL, OPT_FLAG(struct request, parsable), "Print the bare job id"},
	{"quiet", NULL, 'Q', NULL, OPT_FLAG(struct request, quiet), "Print errors only"},
	{"test-only", NULL, 0, NULL, OPT_FLAG(struct request, test_only),
	 "Check the job and submit nothing"},
	{"retry-for", NULL, 0, "TIME", OPT_DURATION(struct request, retry_ms, 1000, 0, ""),
	 "How long to try while no controller answers (default: 5m)"},
};

static const struct opt_table own_options = {"Submitting", rows, ARRAY_SIZE(rows)};
static const struct opt_table *const tables[] = {&spec_options, &own_options, &command_options,
						 NULL};
static const char *const usages[] = {
	"[option...] script [argument...]",
	"[option...] --wrap 'shell command'",
	"[option...] -- command [argument...]",
	"[option...] --file job.conf",
	NULL,
};

static void warn_of(const struct script_notes *notes, const char *name)
{
	if (notes->late_line)
		command_warn(&asubmit, "%s: line %u: #ARMADA after the first command is not read",
			     name, notes->late_line);
	if (notes->sbatch_line)
		command_warn(&asubmit, "%s: line %u: #SBATCH lines are not read; write #ARMADA",
			     name, notes->sbatch_line);
}

/* Batch scripts of other systems run once; ours run in each task unless --launch says otherwise. */
static void advise_launch(const struct request *r, const struct spec *s)
{
	char where[32] = "";
	const char *word;
	unsigned line;
	int len;

	if (r->quiet || s->launch_set || s->part_count || !s->script || s->group.replicas < 2)
		return;
	line = script_find_launcher((const char *)s->script, s->script_len, &word, &len);
	if (!line)
		return;
	if (!r->wrap)
		snprintf(where, sizeof(where), " (line %u)", line);
	command_warn(&asubmit,
		     "each of the %u tasks runs this, and its %.*s%s; say --launch=first for one "
		     "that starts the others, --launch=all if that is meant",
		     s->group.replicas, len, word, where);
}

/* A script from a file or standard input, with its directives. */
static int read_script(const struct request *r, struct spec *s, const struct conf *conf,
		       struct err *err)
{
	const char *path = r->line.operand_count ? r->line.operands[0] : NULL;
	const char *name = path;
	struct script_notes notes;
	CLEANUP_BUF struct buf text = {0};
	size_t args = r->line.operand_count ? r->line.operand_count - 1 : 0;
	int rc;

	if (path && !strcmp(path, "-"))
		path = NULL;
	if (!path)
		name = "standard input";
	if (!r->line.operand_count && isatty(STDIN_FILENO))
		return err_set(err, -EINVAL, "nothing to run; give a script, --wrap or -- command");
	rc = script_read(path, conf->limits.script_bytes, &text, err);
	if (rc == 0)
		rc = script_check(name, (char *)text.data, text.len, err);
	if (rc < 0)
		return -EBADE;
	rc = script_directives(s, name, (char *)text.data, text.len, &notes, err);
	if (rc < 0)
		return rc;
	warn_of(&notes, name);
	return spec_script(s, path, text.data, text.len, args, r->line.operands + 1, err);
}

static int what_to_run(const struct request *r, struct spec *s, const struct conf *conf,
		       struct err *err)
{
	int rc;

	if (r->wrap && r->line.operand_count)
		return err_set(err, -EINVAL, "--wrap and a script or command cannot both be given");
	if (r->wrap) {
		rc = spec_wrap(s, r->wrap, err);
		return rc < 0 ? err_prefix(err, rc, "--wrap") : 0;
	}
	if (r->line.after_dashes)
		return spec_command(s, r->line.operand_count, r->line.operands, err);
	return read_script(r, s, conf, err);
}

/* A job file, which what the command line gives to run takes the place of. */
static int read_file(const struct request *r, struct spec *s, const struct conf *conf,
		     struct err *err)
{
	int rc = jobfile_read(s, r->file, conf->limits.script_bytes, err);

	if (rc < 0)
		return rc;
	if (!r->wrap && !r->line.operand_count && !r->line.after_dashes)
		return 0;
	spec_drop_program(s);
	rc = what_to_run(r, s, conf, err);
	for (size_t i = 0; rc == 0 && i < s->part_count; i++)
		if (!s->parts[i]->script && !s->parts[i]->group.n_argv)
			return 0;
	if (rc == 0 && s->part_count)
		return err_set(err, -EINVAL,
			       "each group of %s says what it runs: nothing is left "
			       "to run what the command line says",
			       r->file);
	return rc;
}

/* Directives, then environment, then command line: the last one wins. */
static int make_spec(const struct request *r, struct spec *s, const struct conf *conf,
		     struct err *err)
{
	const struct spec_defaults defaults = spec_defaults(conf);
	CLEANUP_BUF struct buf env = {0};
	int rc = r->file ? read_file(r, s, conf, err) : what_to_run(r, s, conf, err);

	if (rc == 0)
		rc = spec_apply_env(s, environ, err);
	if (rc == 0)
		rc = deferred_options_apply(&r->line, s, err);
	if (rc == 0)
		rc = spec_finish(s, &defaults, err);
	if (rc < 0)
		return rc;
	advise_launch(r, s);
	rc = environ_capture(environ, s->export, conf->limits.env_bytes, &env, err);
	if (rc < 0)
		return rc;
	spec_env(s, env.data, env.len);
	return 0;
}

static int run(int argc, char **argv, struct err *err)
{
	struct request r = {.retry_ms = 5 * 60 * 1000};
	struct connection *c = NULL;
	struct spec spec;
	int rc;

	rc = deferred_options_read(&r.line, tables, argc, argv, &r, err);
	if (rc == 0)
		rc = connection_new(&c, NULL, err);
	if (rc == 0) {
		spec_init(&spec);
		rc = make_spec(&r, &spec, connection_conf(c), err);
		if (rc == 0)
			rc = asubmit_send(&r, c, &spec, err);
		spec_done(&spec);
	}
	connection_free(c);
	deferred_options_done(&r.line);
	return rc;
}

const struct command asubmit = {
	.name = "asubmit",
	.summary = "Submit a job: a script, a shell command line or a program",
	.usages = usages,
	.tables = tables,
	.notes =
		"Options of a job may also stand in the script, in lines that begin with #ARMADA,\n"
		"and in the environment, as ASUBMIT_TIME for --time. The command line has the last\n"
		"word. See asubmit(1).",
	.run = run,
};

int main(int argc, char **argv)
{
	return command_main(&asubmit, argc, argv);
}
