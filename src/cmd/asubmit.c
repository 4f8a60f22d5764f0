/*
 * asubmit: submit a job, or the jobs of a job file.
 *
 * The options of the job come from a job file or the #ARMADA lines of the script, then from
 * ASUBMIT_* variables, then from the command line; a later source overrides an earlier one. The
 * result is one finished struct spec, which asubmit_send() submits. The program is a script, a job
 * file, a shell command line (--wrap) or a command after "--".
 */
#include "cmd/asubmit.h"

#include "client/joblist.h"
#include "client/script.h"
#include "client/spec/finish.h"
#include "cmd/asubmit_send.h"
#include "cmd/common/login_env.h"
#include "cmd/common/mpi_warning.h"
#include "util/mem.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const struct opt rows[] = {
	{"wrap", NULL, 0, "COMMAND", OPT_TEXT(struct request, wrap),
	 "Run this shell command line instead of a script"},
	{"file", NULL, 0, "FILE", OPT_TEXT(struct request, file),
	 "Read one or several jobs, and their groups of tasks, from this job file, armada-job(5)"},
	{"wait", NULL, 'W', NULL, OPT_FLAG(struct request, wait),
	 "Wait until the job ends, and return its exit code"},
	{"parsable", NULL, 0, NULL, OPT_FLAG(struct request, parsable), "Print only the job id"},
	{"quiet", NULL, 'Q', NULL, OPT_FLAG(struct request, quiet), "Print errors only"},
	{"test-only", NULL, 0, NULL, OPT_FLAG(struct request, test_only),
	 "Check the job, estimate its start, and do not submit it"},
	{"no-usage-hint", NULL, 0, NULL, OPT_FLAG(struct request, no_hint),
	 "On a terminal, print no line about what the last jobs of this name used"},
	{"submit-key", NULL, 0, "TEXT", OPT_TEXT(struct request, submit_key),
	 "Submit once: another submission with this key gets the id of the first job"},
	{"retry-for", NULL, 0, "TIME", OPT_DURATION(struct request, retry_ms, 1000, 0, ""),
	 "How long to retry while no controller answers (default: 5m)"},
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

static void warn_about(const struct script_notes *notes, const char *name)
{
	if (notes->late_line)
		command_warn(&asubmit,
			     "%s: line %u: #ARMADA lines after the first command are ignored", name,
			     notes->late_line);
	if (notes->sbatch_line)
		command_warn(&asubmit, "%s: line %u: #SBATCH lines are ignored; write #ARMADA",
			     name, notes->sbatch_line);
}

/* Whether the shell would run a program of this name. */
static bool is_program(const char *name)
{
	const char *at = getenv("PATH");

	while (at && *at && !strchr(name, '/')) {
		size_t n = strcspn(at, ":");
		CLEANUP_FREE char *path = xasprintf("%.*s/%s", (int)n, at, name);

		if (access(path, X_OK) == 0)
			return true;
		at += n + (at[n] == ':');
	}
	return false;
}

/* Reads a script from a file or from standard input, and applies its directives. */
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
	if (rc == -ENOENT && path && is_program(path))
		return err_set(err, -EBADE,
			       "there is no script %s here; to run the program: asubmit -- %s%s",
			       path, path, args ? " ..." : "");
	if (rc == 0)
		rc = script_check(name, (char *)text.data, text.len, err);
	if (rc < 0)
		return -EBADE;
	rc = script_directives(s, name, (char *)text.data, text.len, &notes, err);
	if (rc < 0)
		return rc;
	warn_about(&notes, name);
	return spec_script(s, path, text.data, text.len, args, r->line.operands + 1, err);
}

static int read_program(const struct request *r, struct spec *s, const struct conf *conf,
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

/* A program on the command line replaces that of a job file with one job. */
static int replace_program(const struct request *r, struct spec *s, const struct conf *conf,
			   struct err *err)
{
	int rc;

	spec_drop_program(s);
	rc = read_program(r, s, conf, err);
	for (size_t i = 0; rc == 0 && i < s->part_count; i++)
		if (!s->parts[i]->script && !s->parts[i]->group.n_argv)
			return 0;
	if (rc == 0 && s->part_count)
		return err_set(
			err, -EINVAL,
			"every group of %s has its own program; the program of the command line "
			"would not be run",
			r->file);
	return rc;
}

static int read_file(const struct request *r, struct joblist *l, const struct conf *conf,
		     struct err *err)
{
	int rc = joblist_read(l, r->file, conf->limits.script_bytes, err);

	if (rc < 0)
		return rc;
	if (l->images && !r->quiet)
		command_warn(
			&asubmit,
			"%s: image and imagePullPolicy have no effect: the jobs run on the nodes "
			"themselves",
			r->file);
	if (!r->wrap && !r->line.operand_count && !r->line.after_dashes)
		return 0;
	if (l->several)
		return err_set(
			err, -EINVAL,
			"%s has a list of jobs with their programs; a program on the command "
			"line cannot replace them",
			r->file);
	return replace_program(r, &l->jobs[0].spec, conf, err);
}

/* Applies what comes after the file or the directives: environment, command line. The last one wins. */
static int finish_spec(const struct request *r, struct spec *s, const struct conf *conf,
		       struct err *err)
{
	const struct spec_defaults defaults = spec_defaults(conf);
	CLEANUP_BUF struct buf env = {0};
	int rc = spec_apply_env(s, environ, err);

	if (rc == 0)
		rc = deferred_options_apply(&r->line, s, err);
	if (rc == 0)
		rc = spec_finish(s, &defaults, err);
	if (rc < 0)
		return rc;
	if (!r->quiet && !s->part_count && !s->script &&
	    s->job.launch != ARMADA__LAUNCH__LAUNCH_FIRST)
		mpi_warning(&asubmit, s->group.argv[0], s->job.chdir, s->group.replicas);
	rc = login_env_capture(s, environ, conf->limits.env_bytes, &env, err);
	if (rc < 0)
		return rc;
	spec_env(s, env.data, env.len);
	return 0;
}

static int make_specs(const struct request *r, struct joblist *l, const struct conf *conf,
		      struct err *err)
{
	int rc;

	if (r->file)
		rc = read_file(r, l, conf, err);
	else
		rc = read_program(r, joblist_add(l), conf, err);
	for (size_t i = 0; rc == 0 && i < l->count; i++) {
		rc = finish_spec(r, &l->jobs[i].spec, conf, err);
		if (rc < 0)
			return joblist_at(l, i, rc, err);
	}
	return rc < 0 ? rc : joblist_order(l, err);
}

static int check_key(const char *key, struct err *err)
{
	enum { LONGEST = 255 };
	int rc;

	if (!key)
		return 0;
	rc = spec_check_text(key, err);
	if (rc == 0 && (!*key || strlen(key) > LONGEST))
		rc = err_set(err, -EINVAL, "must have 1 to %d bytes", LONGEST);
	return rc < 0 ? err_prefix(err, rc, "--submit-key") : 0;
}

static int run(int argc, char **argv, struct err *err)
{
	struct request r = {.retry_ms = 5 * 60 * 1000};
	struct connection *c = NULL;
	struct joblist list;
	int rc;

	rc = deferred_options_read(&r.line, tables, argc, argv, &r, err);
	if (rc == 0)
		rc = check_key(r.submit_key, err);
	if (rc == 0)
		rc = connection_new(&c, NULL, err);
	if (rc == 0) {
		joblist_init(&list);
		rc = make_specs(&r, &list, connection_conf(c), err);
		if (rc == 0)
			rc = asubmit_send(&r, c, &list, err);
		joblist_done(&list);
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
		"Options of the job can also be given in the script, in lines that begin with #ARMADA,\n"
		"and in the environment, such as ASUBMIT_TIME for --time. The command line overrides\n"
		"both. See asubmit(1).",
	.run = run,
};

int main(int argc, char **argv)
{
	return command_main(&asubmit, argc, argv);
}
