/*
 * What is done to nodes: the verbs of anode that change something.
 */
#pragma once

#include "cmd/anode.h"

int anode_drain(struct anode *a, struct err *err);
int anode_resume(struct anode *a, struct err *err);
int anode_confirm_dead(struct anode *a, struct err *err);
int anode_reboot(struct anode *a, struct err *err);
int anode_label(struct anode *a, struct err *err);
int anode_taint(struct anode *a, struct err *err);
int anode_delete(struct anode *a, struct err *err);
