/*
 * What a caller wants to do to an object: the verbs of the table of rights (core/view/rights.h).
 */
#pragma once

enum verb {
	/* requests of agents, which need no verb: their handlers check what the agent holds */
	VERB_NONE,
	/* look at objects without an owner: the cluster, its nodes and queues */
	VERB_LOOK,
	VERB_SUBMIT,       /* submit to a queue */
	VERB_WATCH,        /* watch a job */
	VERB_CANCEL,       /* cancel, hold, release, requeue or signal a job */
	VERB_RELEASE,      /* release a job that a manager of its queue holds */
	VERB_UPDATE,       /* change what a job requests */
	VERB_REPRIORITISE, /* change a job's place in its queue */
	VERB_PREEMPT,      /* end a running job so that others may have its room */
	VERB_PREEMPT_SAFE, /* the same for a job whose class no policy may preempt */
	VERB_SECRET,       /* read a job's script and environment */
	VERB_STEP,         /* run a command in a job, as its owner */
	/* change a queue's owners, permissions, cordon, defaults and user limits */
	VERB_QUEUE_MANAGE,
	VERB_QUEUE,      /* make and delete queues, and change their shares of the cluster */
	VERB_TOKEN,      /* make, list and revoke one's own tokens; never in the scope of a token */
	VERB_ADMIN,      /* change nodes and configuration, shut down */
	VERB_CONTROLLER, /* what only another controller does */
	VERB_COUNT,
};
