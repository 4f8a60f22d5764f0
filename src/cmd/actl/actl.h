/*
 * What the verbs of actl share: their command line, and the request that is answered with a sentence.
 */
#pragma once

#include "cmd/common/command.h"
#include "cmd/listing/listing.h"

/* The command line of every verb; options a verb has no use for are refused by actl.c. */
struct actl {
	struct listing_request listing;
	struct connection *c;
	struct arena *arena;
	const char *const *args; /* after the verb's words */
	size_t count;
	bool with_script, with_env, with_conf, dry_run;
	bool second; /* the verb is the second of a pair: release, requeuehold, queue uncordon */
	Armada__QueueSpec queue; /* queue create and update: what is said, but for the name */
	const char *file;        /* the same of many; NULL: none */
};

/* Ask for something that is answered with a sentence; print it, or otherwise `done`. */
int actl_ask_ok(struct actl *a, enum msg_type type, const void *request, const char *done,
		struct err *err);
