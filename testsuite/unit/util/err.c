#include "tap/tap.h"
#include "util/err.h"

#include <errno.h>
#include <string.h>

int main(void)
{
	char wide[1024];
	struct err err;

	is_int(err_set(&err, -EINVAL, "no %s", "sense"), -EINVAL, "err_set returns its code");
	is_str(err.text, "no sense", "err_set sets the text");
	is_int(err_prefix(&err, -EINVAL, "line %d", 3), -EINVAL, "err_prefix returns its code");
	is_str(err.text, "line 3: no sense", "err_prefix puts the context in front");
	is_int(err_sys(&err, -ENOENT, "open %s", "x"), -ENOENT, "err_sys returns its code");
	is_str(err.text, "open x: No such file or directory", "err_sys adds the text of errno");
	is_int(err_set(NULL, -EIO, "x"), -EIO, "err_set without an err");
	is_int(err_prefix(NULL, -EIO, "x"), -EIO, "err_prefix without an err");
	is_int(err_sys(NULL, -EIO, "x"), -EIO, "err_sys without an err");

	memset(wide, 'w', sizeof(wide));
	wide[sizeof(wide) - 1] = '\0';
	err_set(&err, -1, "%s", wide);
	is_int((long long)strlen(err.text), sizeof(err.text) - 1, "a long text is cut");
	err_prefix(&err, -1, "head");
	ok(strncmp(err.text, "head: www", 9) == 0, "a long text takes a prefix");
	err_prefix(&err, -1, "%s", wide);
	is_int((long long)strlen(err.text), sizeof(err.text) - 1, "a long prefix is cut");
	return done();
}
