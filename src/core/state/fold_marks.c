#include "core/state/write.h"

#include "core/state/fold.h"
#include "core/state/job.h"
#include "util/mem.h"

void fold_look(struct fold *f, const struct job *j)
{
	GROW(f->to_look, f->look_cap, f->look_count + 1);
	f->to_look[f->look_count++] = j->id;
}
