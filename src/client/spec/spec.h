/*
 * The specification of a job, gathered option by option.
 *
 * One table of job options (spec_options) serves the command line of asubmit, the #ARMADA lines of
 * scripts, ASUBMIT_* in the environment and armada_job_set() of libarmada. A later value replaces
 * an earlier one, so the caller applies the weakest source first: directives, then environment,
 * then command line. Options for the same amount (--memory and --mem-per-cpu) replace each other
 * across sources, and are refused within one source.
 *
 * A spec owns an arena with copies of all values; the finished message borrows from it.
 */
#pragma once

#include "client/spec/resource.h"
#include "proto/msg.h"
#include "util/options.h"

/* The maximum number of tasks, of nodes, and of jobs of a gang. */
enum { SPEC_TASKS_MAX = 1000000 };

/* All memory of the node: --mem=0. */
enum { SPEC_WHOLE_MEMORY = -1 };

enum spec_source { SPEC_DEFAULT, SPEC_DIRECTIVE, SPEC_ENVIRONMENT, SPEC_LINE };

/* Amounts that spec_finish() combines and checks; 0: not given. */
struct spec_shape {
	int64_t tasks, nodes, tasks_per_node, min_tasks;
	int64_t nodes_min; /* of --nodes=MIN-MAX; 0: not a range */
	int64_t cpu_milli, cpu_milli_per_gpu, cpu_milli_per_node;
	/* of each task, node, cpu or gpu; at most one is set; of a node also SPEC_WHOLE_MEMORY */
	int64_t memory_bytes, memory_per_node_bytes, memory_per_cpu_bytes, memory_per_gpu_bytes;
	/* of the job, of each task or of each node; at most one is set */
	int64_t gpus, gpus_per_task, gpus_per_node;
	int64_t tasks_per_gpu;
	enum spec_source memory_from, gpus_from;
	const char *gpu_type; /* NULL: any */
	struct spec_resource resources[SPEC_RESOURCES_MAX];
	size_t resource_count;
};

struct spec {
	struct arena *arena;
	enum spec_source source; /* the source of the values that are set now */
	Armada__JobSpec job;
	Armada__TaskGroup group;
	Armada__TaskGroup *groups[1];
	struct spec_shape shape;
	const char *export;    /* --export as given; NULL: ALL */
	const uint8_t *script; /* script_len does not count the final NUL; NULL: none */
	size_t script_len;
	/* one for each group of a job file, with its resources and its program; owned */
	struct spec **parts;
	size_t part_count;
	const char *
		script_path; /* of a job file: a script that is not read yet; its arguments are in job.args */
	const uint8_t *env;
	size_t env_len;
	enum spec_source tolerations_from;
	int64_t nice;       /* added to the priority by spec_finish() */
	uint32_t propagate; /* --propagate, a set of util/rlimits.h */
	bool login_env;     /* --get-user-env */
	bool umask_set, launch_set, on_task_failure_set, propagate_set, finished;
	/* the next program of a job file replaces this one */
	bool program_is_default;
	/* dependencies may name other jobs of the file; depends_on has the name of each, or NULL */
	bool in_list;
	const char **depends_on;
};

void spec_init(struct spec *s);
void spec_done(struct spec *s);

/* Moves all of from to `to`, whose contents are lost; from must not be used afterwards but by spec_init(). */
void spec_move(struct spec *from, struct spec *to);

/* Sets one option. Errors do not name the option, because the caller knows how it was written. */
int spec_set(struct spec *s, const struct opt *o, const char *value, struct err *err);

/*
 * Applies the ASUBMIT_* variables of env (NULL-terminated NAME=value strings): ASUBMIT_MEMORY for
 * --memory, ASUBMIT_MEM_PER_CPU for --mem-per-cpu. Unknown variables are ignored. If no account has
 * been named by then, SBATCH_ACCOUNT and ARMADA_ACCOUNT name it.
 */
int spec_apply_env(struct spec *s, char *const *env, struct err *err);

/* Sets a command as the program. Copies argv. */
int spec_command(struct spec *s, size_t argc, const char *const *argv, struct err *err);
/*
 * Sets a script as the program, with its name as written (NULL: standard input) and its arguments.
 * Copies all.
 */
int spec_script(struct spec *s, const char *name, const void *text, size_t len, size_t argc,
		const char *const *args, struct err *err);
/* Sets a script that is made from one shell command line (--wrap). */
int spec_wrap(struct spec *s, const char *command, struct err *err);
/*
 * Makes the job of arun: its tasks run the io stub with this payload; command is for listings. Such
 * a job is not requeued, because the arun that it belongs to has ended then.
 */
void spec_interactive(struct spec *s, const char *command, const void *payload, size_t len);
/* Removes the program, so that another one can be set. */
void spec_drop_program(struct spec *s);
/* Adds a group of tasks, which is filled like a job; owned by s. */
struct spec *spec_add_part(struct spec *s);
/* Sets the environment: NUL-terminated strings. Copies. */
void spec_env(struct spec *s, const void *text, size_t len);

/* Refuses text that messages must not contain: control characters, or bytes that are not UTF-8. */
int spec_check_text(const char *value, struct err *err);
/* Refuses a word of a command line that is not UTF-8. It may be a program of several lines. */
int spec_check_word(const char *word, struct err *err);
