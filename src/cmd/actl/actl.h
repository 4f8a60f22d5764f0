/*
 * What the verbs of actl share: the command line, and a request that is answered with one sentence.
 */
#pragma once

#include "cmd/common/command.h"
#include "cmd/listing/listing.h"

/* The command line of every verb; actl.c refuses options that the verb does not use. */
struct actl {
	struct listing_request listing;
	struct connection *c;
	struct arena *arena;
	const char *const *args; /* after the verb's words */
	size_t count;
	bool with_script, with_env, with_conf, dry_run;
	bool alternate; /* the other verb of a shared function: release, requeuehold, queue uncordon */
	Armada__QueueSpec queue; /* queue create and update: the settings, without the name */
	struct {
		bool error;
		int64_t task, tail, offset, limit; /* bytes; 0: not given */
	} output;                                  /* show output */
	const char *file; /* --file, with settings of several queues; NULL: none */
};

/* Sends a request that is answered with one sentence; prints it, or `done` if it is empty. */
int actl_ask_ok(struct actl *a, enum msg_type type, const void *request, const char *done,
		struct err *err);
