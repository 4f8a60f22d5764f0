/*
 * The priority classes that Armada ships, and the rules of one class.
 */
#pragma once

#include "conf/types.h"
#include "util/err.h"

enum { CONF_SHIPPED_CLASSES = 4, CONF_OLD_CLASSES = 2 };

/* Without priority_classes in armada.conf: their names, priorities and flags. */
extern const struct conf_class conf_shipped_classes[CONF_SHIPPED_CLASSES];
/* What the same meant before the four classes were shipped. */
extern const struct conf_class conf_old_classes[CONF_OLD_CLASSES];

/* A class of armada.conf without settings, and without a name. */
struct conf_class conf_class_default(void);

/*
 * After a class was read: apply `preemptible`, refuse flags that contradict it, restrict the system classes.
 * set: one for each row.
 */
int conf_settle_class(void *one, bool *set, struct err *err);
