/*
 * What somebody wants to do to an object: the words that rights are told in (core/view/rights.h).
 */
#pragma once

enum verb {
	VERB_NONE,         /* nothing is asked: agents, who are asked for by what they hold */
	VERB_LOOK,         /* at what is nobody's: the cluster, its nodes and queues */
	VERB_SUBMIT,       /* to a queue */
	VERB_WATCH,        /* a job */
	VERB_CANCEL,       /* a job: cancel, hold, release, requeue, signal */
	VERB_RELEASE,      /* a job that somebody of its queue holds */
	VERB_UPDATE,       /* what a job asks for */
	VERB_REPRIORITISE, /* a job: its place in its queue */
	VERB_PREEMPT,      /* a job: end what runs so that others may have its room */
	VERB_PREEMPT_SAFE, /* the same of a job whose class neither policy may preempt */
	VERB_SECRET,       /* a job's script and environment */
	VERB_STEP,         /* run something in a job, as its owner */
	VERB_QUEUE_MANAGE, /* a queue: owners, permissions, cordon, defaults, what a user may have */
	VERB_QUEUE,        /* make and delete queues, and change what they get of the cluster */
	VERB_ADMIN,        /* nodes, configuration, shutdown */
	VERB_COUNT,
};
