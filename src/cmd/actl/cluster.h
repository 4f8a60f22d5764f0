/* actl show cluster, actl license: the resources of the cluster. */
#pragma once

#include "cmd/actl/actl.h"

extern const struct listing cluster_listing;

int actl_show_cluster(struct actl *a, struct err *err);
int actl_license(struct actl *a, struct err *err);
