/*
 * One job's way through admission: what the checks of admit.c and fit.c share.
 */
#ifndef CORE_ADMIT_H
#define CORE_ADMIT_H

#include "core/request.h"

struct admission {
	struct core *core;
	Armada__JobSpec *spec;
	const Armada__SubmitRequest *request;
	struct err *err;
	int code;
	bool unseen;      /* the nodes are not asked about it: look.c */
	unsigned changed; /* of a job that is updated: which fields */
	const char *user; /* whose it is */
};

/* admit.c: check and complete a JobSpec as submitted. */
int admit_job(struct core *c, Armada__JobSpec *spec, const Armada__SubmitRequest *m, int *ret_code,
	      struct err *err);

/* The same of a job that is changed; mask: the bits of UpdateJobRequest.Field. */
int admit_update(struct core *c, Armada__JobSpec *spec, const char *user, unsigned mask,
		 struct err *err);

/*
 * admit_most.c: may so much wait and be submitted, by queue, user in a queue, and user? Of a request
 * whose jobs have been admitted. Charged once it is certain that they come.
 */
int admit_most(struct core *c, const Armada__SubmitRequest *m, int *ret_code, struct err *err);
void admit_charge(struct core *c, const Armada__SubmitRequest *m);
/* The same of a job that is to be in another queue, by the limits of that one. */
int admit_move(struct core *c, const struct job *j, const struct queue *to, struct err *err);
void admit_moved(struct core *c, const struct job *j, const struct queue *to);

/* Refuse with a sentence; the exit code is 1 unless a->code was set before. Returns -EINVAL. */
int admit_no(struct admission *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* admit_user.c: the caller, and the limits that the job's tasks are to have. */
int admit_user(struct admission *a);
int admit_rlimits(struct admission *a);

/*
 * look.c: may so many jobs be looked for on the nodes in this input? It is charged. fit_begin says so
 * of one (a->unseen), fit_passed that all checks found it good.
 */
bool fit_may_look(struct core *c, const Armada__JobSpec *const *specs, size_t count);
void fit_begin(struct admission *a);
void fit_passed(struct admission *a);
/* The same labels, tolerations and lists of nodes? */
bool same_constraints(const Armada__JobSpec *a, const Armada__JobSpec *b);

/* fit.c: could the nodes of today ever hold it, were they empty? */
int admit_fit(struct admission *a);
void admit_amount(const char *resource, int64_t amount, char *out, size_t size);

/* reach.c: would the limits ever let it start? */
int admit_reach(struct admission *a);
/* The same of a gang of jobs like that of a->spec, by what all its members ask for together. */
int admit_reach_of(struct admission *a, const struct resources *sum, uint32_t members);
/*
 * The gang: how many members it has, what each asks for (INT64_MAX: beyond counting) and for how
 * many tasks.
 */
void admit_gang(const struct admission *a, struct resources *ret_want, uint32_t *ret_members,
		uint32_t *ret_each);
/* Does the node do by its labels and taints and the job's lists of nodes? Resources apart. */
bool node_suits(const Armada__JobSpec *spec, const struct node *n);
/* The value of a label; NULL: it has none. */
const char *node_label(const struct node *n, const char *key);

#endif
