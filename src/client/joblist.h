/*
 * The jobs of a job file (armada-job(5)): one, or several that are submitted together.
 *
 * A file with the key `jobs` has several. Its other keys, and the map `defaults`, hold for each job; the keys
 * of a job replace them. A job may depend on another one of the file by its name. Messages begin with
 * "FILE: line N: jobs[I].KEY: ".
 */
#pragma once

#include "client/jobfile.h"

struct joblist_job {
	struct spec spec;
	const char *name; /* as the file gives it; NULL: none */
	unsigned line;
};

struct joblist {
	struct arena *arena;
	const char *file;
	struct joblist_job *jobs; /* in the order of the file */
	size_t count;
	bool several; /* the file has the key jobs, perhaps with one job */
	bool images;  /* a job names an image, which does not run: it runs on the host */
	/* The order of submission: each job after those that it depends on. joblist_order(). */
	size_t *order; /* places in jobs */
};

void joblist_init(struct joblist *l);
void joblist_done(struct joblist *l);
/* Adds the only job of a list that is not read from a file. */
struct spec *joblist_add(struct joblist *l);
/*
 * Reads a text, with the name of its file (jobfile.h); scripts are not read. After an error only
 * joblist_done() may follow.
 */
int joblist_parse(struct joblist *l, const char *name, const char *text, struct err *err);
/*
 * The same for a file. The scripts that it names are read; a name without / at its beginning is
 * relative to the directory of the file.
 */
int joblist_read(struct joblist *l, const char *path, int64_t max_script_bytes, struct err *err);
/*
 * Replaces the names in dependencies by places in the request, and fills order. Call when all options of
 * the jobs are set. Refused: an unknown name, with the nearest one; jobs that wait for one another.
 * O(jobs + dependencies).
 */
int joblist_order(struct joblist *l, struct err *err);
/* The file, the line and the name of a job before a message about it. */
int joblist_at(const struct joblist *l, size_t job, int rc, struct err *err);
/* Read a text, or a file, that must have one job, into s. */
int joblist_parse_one(struct spec *s, const char *name, const char *text, struct err *err);
int joblist_read_one(struct spec *s, const char *path, int64_t max_script_bytes, struct err *err);
