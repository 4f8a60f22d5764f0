/*
 * The verbs of anode that change nodes. Each returns 0, or a negative errno with err.
 */
#pragma once

#include "cmd/anode.h"

int anode_drain(struct anode *a, struct err *err);
int anode_resume(struct anode *a, struct err *err);
int anode_confirm_dead(struct anode *a, struct err *err);
int anode_reboot(struct anode *a, struct err *err);
int anode_label(struct anode *a, struct err *err);
int anode_taint(struct anode *a, struct err *err);
int anode_refresh(struct anode *a, struct err *err);
int anode_delete(struct anode *a, struct err *err);
