/* What a controller says about itself, and what another one finds different. */
#include "config.h"

#include "armctld/replica_facts.h"
#include "tap/tap.h"

#include <string.h>

#define OURS                                                                                       \
	"order key 0123\nrelease " PACKAGE_VERSION "\ncluster = \"c\";\nlimits.jobs_per_user = 5;\n"

/* The words about a controller that has these facts. */
static const char *words_about(const char *theirs, bool *ret_key)
{
	CLEANUP_BUF struct buf ours = {0};
	static struct err err;

	buf_addstr(&ours, OURS);
	replica_facts_compare(&ours, theirs, strlen(theirs), ret_key, &err);
	return err.text;
}

int main(void)
{
	CLEANUP_BUF struct buf told = {0};
	char history[64];
	bool key;

	is_str(words_about(OURS, &key), "", "the same facts have no difference");
	ok(!key, "nor another key");
	is_str(words_about("", &key), "", "nothing is said of a controller without facts");
	is_str(words_about("order key 0123\nrelease " PACKAGE_VERSION
			   "\ncluster = \"c\";\nlimits.jobs_per_user = 7;\n",
			   &key),
	       "its configuration is another one: here limits.jobs_per_user = 5;, there "
	       "limits.jobs_per_user = 7;",
	       "another setting is shown from both");
	is_str(words_about("order key 0123\nrelease 0.0.9\nlimits.jobs_per_user = 7;\n", &key),
	       "its release is another one: here " PACKAGE_VERSION ", there 0.0.9",
	       "another release comes first: its settings may have other names");
	is_str(words_about("order key 4567\nrelease 0.0.9\n", &key),
	       "its order key is another one than here", "another key comes before all");
	ok(key, "and is said apart");
	buf_addstr(&told, OURS);
	replica_facts_add_history(&told, "");
	is_int((int64_t)told.len, sizeof(OURS) - 1, "a history that lacks nothing is not told");
	replica_facts_add_history(&told, "lacks the jobs of some records");
	replica_facts_history((char *)told.data, told.len, history, sizeof(history));
	is_str(history, "lacks the jobs of some records", "what it lacks is told and read");
	buf_addc(&told, '\0');
	is_str(words_about((char *)told.data, &key), "", "and is no difference");
	replica_facts_history(OURS, sizeof(OURS) - 1, history, sizeof(history));
	is_str(history, "", "a controller that tells nothing lacks nothing");
	return done();
}
