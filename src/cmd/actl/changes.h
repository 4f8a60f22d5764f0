/*
 * Changes of a job, as actl update and PATCH of the gateway have them: options, which become one request.
 */
#pragma once

#include "client/filter.h"
#include "client/spec/spec.h"
#include "conf/conf.h"
#include "proto/msg.h"
#include "util/options.h"

enum { CHANGES_GROUPS_MAX = 64 };

struct changes {
	struct spec spec;
	unsigned mask;
	bool time_relative; /* the time limit is added to that of the job */
	/* --group: those with a number of tasks; the last one that was named */
	Armada__TaskGroup groups[CHANGES_GROUPS_MAX], *scaled[CHANGES_GROUPS_MAX];
	size_t scaled_count, named_count;
	const char *group;
	const char *wrap, *script; /* borrowed */
	bool script_text;          /* script is not the name of a file, but its text */
	bool restart;
	const char *const *words; /* borrowed */
	size_t word_count;
};

/* The options; the target is a struct changes. Call changes_prepare() once before they are used. */
extern const struct opt_table changes_options;
void changes_prepare(void);

void changes_init(struct changes *u);
void changes_done(struct changes *u);
/* The text of a script; it and the words are borrowed until changes_program(). */
void changes_script(struct changes *u, const char *text);
/* The command, or the arguments of the script. */
void changes_words(struct changes *u, const char *const *words, size_t count);
/* Call after the last option: -EINVAL if the options do not fit together. */
int changes_finish(struct changes *u, struct err *err);
/* The new program: a script, a shell command line, or a command. Call after changes_finish(). */
int changes_program(struct changes *u, const struct conf *conf, struct err *err);
/* The request; it borrows from u and f. */
void changes_request(const struct changes *u, const struct filter *f,
		     Armada__UpdateJobRequest *ret);
