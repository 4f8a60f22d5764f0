/* Suggestions for misspelt words: typing errors are recognized, and words that are merely short are not. */
#include "tap/tap.h"
#include "util/mem.h"
#include "util/nearest.h"

static const char *const known[] = {
	"qos",      "queue", "name",   "cpus",       "gpus",
	"job-name", "time",  "output", "dependency", "kill-on-invalid-dep"};

static const struct {
	const char *word, *near;
} cases[] = {
	{"jobs", NULL},
	{"qs", "qos"},
	{"nmae", "name"},
	{"ame", "name"},
	{"QUEUES", "queue"},
	{"quuees", "queue"},
	{"brief", NULL},
	{"mpus", "cpus"},
	{"gpu", "gpus"},
	{"cpu", "cpus"},
	{"dime", "time"},
	{"ouptutt", "output"},
	{"inputs", NULL},
	{"dependnecyes", "dependency"},
	{"kill-on-invalid", "kill-on-invalid-dep"},
	{"dep", "dependency"},
	{"jo", NULL},
	{"", NULL},
};

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *near = nearest_word(cases[i].word, known, ARRAY_SIZE(known));

		is_str(near ? near : "none", cases[i].near ? cases[i].near : "none",
		       "the suggestion for '%s'", cases[i].word);
	}
	return done();
}
