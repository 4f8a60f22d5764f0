/*
 * Options for resources of any name.
 *
 * --resource is of each task, --gres and --tmp of each node. Which names exist, and whether their amounts
 * are counts or sizes, is the controller's to say: an amount that is written with a unit is sent as one.
 * cpu, memory and gpu lead to the options --cpus, --memory and --gpus-per-task.
 */
#pragma once

#include "proto/msg.h"
#include "util/err.h"

#include <stdbool.h>

struct spec;

enum { SPEC_RESOURCES_MAX = 16 };

/* An amount that was asked for. */
struct spec_resource {
	const char *name;
	int64_t amount;
	bool size, per_node;
	int from; /* enum spec_source */
};

/* fpga=1,scratch=2T: of each task. Targets are a struct spec. */
int spec_set_resource(void *target, const char *value, struct err *err);
/* gpu[:TYPE][:N] or NAME[:N], with commas: of each node. */
int spec_set_gres(void *target, const char *value, struct err *err);
/* matlab:2,ansys: floating resources, of each element as a whole. */
int spec_set_licenses(void *target, const char *value, struct err *err);
/* tmp, of each node. */
int spec_set_tmp(void *target, const char *value, struct err *err);

/* Adds an amount to those of a task. */
void spec_add_resource(struct spec *s, const char *name, int64_t amount, bool size);
/* A group has those of the job that it does not name. */
void spec_inherit_resources(struct spec *group, const struct spec *job);
/* For a change of a job: 0 is sent, too. */
int spec_change_resources(struct spec *s, struct err *err);
/* Adds what was asked for to those of a task. tasks: on each node; 0: not known. */
int spec_add_resources(struct spec *s, int64_t tasks, struct err *err);
