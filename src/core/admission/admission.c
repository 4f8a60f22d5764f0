#include "core/admission/admission.h"

#include "util/units.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int admit_no(struct admission *a, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!a->code)
		a->code = 1;
	return err_set(a->err, -EINVAL, "%s", text);
}

void admit_amount(const char *resource, int64_t amount, char *out, size_t size)
{
	int r = resource_index(resource);

	unit_format(r < 0 ? RESOURCE_COUNT : resource_unit((size_t)r), amount, out, size);
}
