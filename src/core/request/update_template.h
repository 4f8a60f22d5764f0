/*
 * Changes of what the tasks of a job are: their numbers, their resources and their program.
 */
#pragma once

#include "core/txn/txn.h"

/*
 * Makes the changes in the specification, whose groups are copied before. Nothing but the request is
 * checked: admission checks the result. A new script has the blob index 1.
 */
int update_template(struct txn *txn, const Armada__UpdateJobRequest *m, unsigned mask,
		    Armada__JobSpec *to, struct err *err);
/* Stores the script of the request, if there is one, and replaces its blob index by its hash. */
void update_template_store(struct txn *txn, const Armada__UpdateJobRequest *m, Armada__JobSpec *to);
