#include "core/state/write.h"

#include "core/state/fold.h"
#include "core/state/job.h"
#include "util/mem.h"

void fold_check_later(struct fold *f, const struct job *j)
{
	GROW(f->to_check, f->check_cap, f->check_count + 1);
	f->to_check[f->check_count++] = j->id;
}
