/* The licenses of a job: amounts of floating resources, of each element as a whole. */
#pragma once

#include "core/admission/admission.h"

/*
 * Amounts of floating resources that the groups of the spec ask for, for each task, become licenses
 * of the job.
 */
int admit_licenses(struct admission *a);
/* Whether the cluster has so many, and the queue may use them. spec_count: of a gang, else 1. */
int admit_licenses_fit(struct admission *a, Armada__JobSpec *const *specs, size_t spec_count);
/* NULL: armada.conf does not have it. */
const struct conf_floating *floating_of(const struct core_policy *p, size_t resource);
/* Adds the licenses of one element of the job. */
void admit_add_licenses(const Armada__JobSpec *spec, struct resources *sum);
