/*
 * Mails about ends: which jobs want one, and its text.
 */
#pragma once

#include "armctld/notify_feed.h"

/* Of a whole array, unless it wants a mail for each element. */
notify_make_fn notify_mail_job;
/* Of a job without elements, or of an element of an array with a mail for each; starts of arrays. */
notify_make_fn notify_mail_element;
