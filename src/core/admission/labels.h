/*
 * Labels and annotations of a job: their form, their number, and that no key comes twice.
 */
#pragma once

#include "core/admission/admission.h"

int admit_labels(struct admission *a);
