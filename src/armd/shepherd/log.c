#include "armd/shepherd/log.h"

#include "armd/shepherd/control.h"

#include <stdarg.h>
#include <stdio.h>

void shepherd_log(struct shepherd *s, const char *fmt, ...)
{
	char text[CONTROL_TEXT];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	control_send_log(s->task->spool, &s->task->order.key, text);
}
