/*
 * What a user asks for, gathered option by option.
 *
 * One table of job options (spec_options) serves the command line of asubmit, the #ARMADA lines of
 * scripts, ASUBMIT_* in the environment and armada_job_set() of libarmada. A later value replaces
 * an earlier one, so the caller applies the weakest source first: directives, then environment,
 * then command line. Options that say the same thing in two ways (--memory and --mem-per-cpu)
 * replace each other across sources and are refused within one.
 *
 * A spec owns an arena with everything it was given; the finished message borrows from it.
 */
#pragma once

#include "proto/msg.h"
#include "util/options.h"

/* Most tasks, nodes and members of a gang. */
enum { SPEC_TASKS_MAX = 1000000 };

enum spec_source { SPEC_DEFAULT, SPEC_DIRECTIVE, SPEC_ENVIRONMENT, SPEC_LINE };

/* What is asked for in parts that only make sense together; 0: not said. */
struct spec_shape {
	int64_t tasks, nodes, tasks_per_node, min_tasks;
	int64_t cpu_milli;
	int64_t memory_bytes, memory_per_cpu_bytes;
	int64_t gpus, gpus_per_task;
	enum spec_source memory_from, gpus_from;
};

struct spec {
	struct arena *arena;
	enum spec_source source; /* of the values being set now */
	Armada__JobSpec job;
	Armada__TaskGroup group;
	Armada__TaskGroup *groups[1];
	struct spec_shape shape;
	const char *export;    /* --export as given; NULL: ALL */
	const uint8_t *script; /* with its NUL outside script_len; NULL: none */
	size_t script_len;
	/* of a job file: */
	struct spec *
		*parts; /* one for each of its groups, whose resources and program it has; owned */
	size_t part_count;
	const char *script_path; /* still to be read, with job.args */
	const uint8_t *env;
	size_t env_len;
	enum spec_source tolerations_from;
	int64_t nice;       /* added to the priority at the end */
	uint32_t propagate; /* --propagate, a set of util/rlimits.h */
	bool umask_set, launch_set, propagate_set, finished;
};

void spec_init(struct spec *s);
void spec_done(struct spec *s);

/* Set one option by its long name. Errors do not name the option: the caller knows how it was given. */
int spec_set(struct spec *s, const struct opt *o, const char *value, struct err *err);

/*
 * Apply the ASUBMIT_* variables of env (NULL-terminated NAME=value strings): ASUBMIT_MEMORY for
 * --memory, ASUBMIT_MEM_PER_CPU for --mem-per-cpu. Unknown ones are left alone.
 */
int spec_apply_env(struct spec *s, char *const *env, struct err *err);

/* The command that is run, instead of a script. Copies argv. */
int spec_command(struct spec *s, size_t argc, const char *const *argv, struct err *err);
/* The script, its name as typed (NULL: from standard input) and its arguments. Copies all. */
int spec_script(struct spec *s, const char *name, const void *text, size_t len, size_t argc,
		const char *const *args, struct err *err);
/* A script made of one shell command line (--wrap). */
int spec_wrap(struct spec *s, const char *command, struct err *err);
/*
 * What somebody stays with (arun): the tasks run the io stub with this payload; command is for
 * listings. Such a job is not run again, for nobody would be there.
 */
void spec_interactive(struct spec *s, const char *command, const void *payload, size_t len);
/* Forget what it was to run: something else is given. */
void spec_drop_program(struct spec *s);
/* A new group of tasks, to be filled like a job; owned by s. */
struct spec *spec_add_part(struct spec *s);
/* The captured environment: NUL-terminated strings. Copies. */
void spec_env(struct spec *s, const void *text, size_t len);

/* Refuse text that no message may carry: control characters, or bytes that are not UTF-8. */
int spec_check_text(const char *value, struct err *err);
