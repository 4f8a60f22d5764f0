/* The countable devices of a place, and their release (counted.h). counted_find.c finds them. */
#include "armd/machine/counted.h"

#include "util/hostlist.h"
#include "util/mem.h"

void machine_free_counted_files(struct machine_counted *c)
{
	hostlist_free(c->files, c->file_count);
	free(c->devices);
	c->files = NULL;
	c->devices = NULL;
	c->file_count = 0;
}

void machine_free_counted(struct machine *m)
{
	for (size_t i = 0; i < m->counted_count; i++)
		machine_free_counted_files(&m->counted[i]);
	free(m->counted);
	m->counted = NULL;
	m->counted_count = 0;
}

size_t machine_counted_bit(size_t index, size_t n)
{
	return PLACE_GPUS - (index + 1) * COUNTED_EACH + n;
}

void machine_counted_list(const struct machine *m, size_t index, const struct place *p, bool files,
			  struct buf *out)
{
	const struct machine_counted *c = &m->counted[index];
	const char *comma = "";

	for (size_t n = 0; n < c->count; n++) {
		if (!place_has(p->gpus, machine_counted_bit(index, n)))
			continue;
		if (files && n < c->file_count)
			buf_addf(out, "%s%s", comma, c->files[n]);
		else if (!files)
			buf_addf(out, "%s%zu", comma, n);
		comma = ",";
	}
}

bool machine_knows_devices(const struct machine *m)
{
	bool any = m->devices_known;

	for (size_t i = 0; i < m->counted_count; i++)
		any |= m->counted[i].file_count > 0;
	return any && (m->devices_known || !m->gpu_count);
}
