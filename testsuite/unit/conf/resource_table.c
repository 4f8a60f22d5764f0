/* The table of resources: rows, names, units, and changes after it was kept. */
#include "conf/resource_table.h"
#include "conf/conf.h"
#include "conf/quantity.h"
#include "tap/tap.h"
#include "util/buf.h"
#include "util/mem.h"

#include <errno.h>
#include <string.h>

static void test_own(void)
{
	struct err err = {0};

	is_int(resource_count(), 3, "three resources are always there");
	is_int(resource_index("gpu"), 2, "gpu is the third");
	is_int(resource_find("memory=4G", 6), 1, "a name may be a part of a text");
	is_int(resource_find("memory", 3), -1, "a part of a name is not the name");
	ok(resource_is_basic(1) && !resource_is_basic(2), "every task has memory, but not gpus");
	is_int(resource_need("fpga", &err), -EINVAL, "an unknown name is refused");
	has_str(err.text, "expected cpu, memory or gpu", "the error has the names");
	resource_need("gpu5", &err);
	has_str(err.text, "did you mean 'gpu'?", "the error has a near name");
}

static void test_rows(void)
{
	static const struct resource_row good[] = {{"fpga", RESOURCE_COUNT, false},
						   {"scratch", RESOURCE_SIZE, false}};
	static const struct {
		const char *name, *says;
	} bad[] = {
		{"", "is not the name of a resource"},
		{"Fpga", "expected a lower-case letter"},
		{"1fpga", "is not the name of a resource"},
		{"a=b", "is not the name of a resource"},
		{"a,b", "is not the name of a resource"},
		{"abcdefghijklmnopqrstuvwxyz0123456", "up to 30"},
		{"gpu", "gpu is always there"},
		{"nodes", "has another meaning"},
	};
	struct resource_row many[RESOURCE_MAX] = {{0}};
	struct err err = {0};
	char text[32];
	int64_t n;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct resource_row row = {bad[i].name, RESOURCE_COUNT, false};

		is_int(resource_table_set(&row, 1, &err), -EINVAL, "'%s' is refused", bad[i].name);
		has_str(err.text, bad[i].says, "the error has the reason");
	}
	is_int(resource_table_set(many, RESOURCE_MAX - 2, &err), -EINVAL, "too many are refused");
	has_str(err.text, "at most 13", "the error has the maximum");
	is_int(resource_count(), 3, "a refusal changes nothing");
	is_int(resource_table_set(good, 2, &err), 0, "two rows are added");
	is_int(resource_index("scratch"), 4, "they follow gpu in their order");
	is_int(resource_parse(4, "2T", &n, &err), 0, "a size is read");
	resource_format(4, n, text, sizeof(text));
	is_str(text, "2T", "and printed");
	is_int(resource_parse(3, "2T", &n, &err), -EINVAL, "a count has no unit");
}

/* armada.conf: the list is read first, wherever it stands. */
static void test_file(void)
{
	static const char good[] =
		"nodes = ( { name = \"n1\"; resources = [\"disk=2T\", \"fpga=1\"]; } );\n"
		"resources = ( { name = \"disk\"; unit = \"size\"; }, { name = \"fpga\"; } );\n";
	static const struct {
		const char *text, *says;
	} bad[] = {
		{"nodes = ( { name = \"n1\"; resources = [\"disk=2T\"]; } );",
		 "there is no resource disk: add an entry"},
		{"resources = ( { name = \"disk\"; unit = \"size\"; } );\n"
		 "nodes = ( { name = \"n1\"; resources = [\"disk=2\"]; } );",
		 "'disk=2': disk is a size"},
		{"resources = ( { name = \"disk\"; } );\n"
		 "nodes = ( { name = \"n1\"; resources = [\"disk=2G\"]; } );",
		 "disk is counted"},
		{"resources = ( { name = \"disk\"; unit = \"kilo\"; } );",
		 "expected count or size"},
		{"resources = ( { name = \"cpu\"; } );", "cpu is always there"},
		{"resources = ( { name = \"cpu\"; } ); floating = { f = 5; };",
		 "resources: cpu is always there"},
		{"resources = ( { name = \"a\"; }, { name = \"a\"; } );", "is given twice"},
		{"nodes = ( { name = \"n1\"; resources = [\"gpu=2\"]; } );",
		 "gpu is given by gpus"},
	};
	struct conf *c = NULL;
	struct err err = {0};

	is_int(conf_parse(&c, "test", good, &err), 0, "resources of nodes %s", err.text);
	is_int(resource_index("disk"), 3, "the table has the rows of the file");
	is_int(resource_unit(3), RESOURCE_SIZE, "with their units");
	conf_free(c);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		c = NULL;
		ok(conf_parse(&c, "test", bad[i].text, &err) < 0, "refused: %s", bad[i].says);
		has_str(err.text, bad[i].says, "the error has the reason");
	}
}

/* Resources of the cluster follow those of nodes. */
static void test_floating(void)
{
	static const char good[] =
		"floating = { matlab = 20; ansys = { total = 8; queues = { cfd = 5; cae = 3; }; }; };\n"
		"resources = ( { name = \"fpga\"; } );\n";
	static const struct {
		const char *text, *says;
	} bad[] = {
		{"floating = 5;", "expected a group: { NAME = ...; }"},
		{"floating = { matlab = \"20\"; };", "expected"},
		{"floating = { matlab = -1; };", "matlab"},
		{"floating = { matlab = { }; };", "total is missing"},
		{"floating = { matlab = { total = 5; queus = { }; }; };", "did you mean 'queues'"},
		{"floating = { matlab = { total = 5; queues = { a = 6; }; }; };",
		 "6 are reserved for queues, but total is 5"},
		{"floating = { matlab = { total = 5; queues = { a = 0.5; }; }; };",
		 "expected a whole number"},
		{"floating = { gpu = 5; };", "gpu is always there"},
		{"floating = { fpga = 5; }; resources = ( { name = \"fpga\"; } );",
		 "the resource fpga is given twice"},
		{"floating = { lic = 5; }; nodes = ( { name = \"n1\"; resources = [\"lic=2\"]; } );",
		 "lic belongs to the cluster, not to a node"},
	};
	CLEANUP_BUF struct buf shown = {0};
	struct conf *c = NULL, *again = NULL;
	struct err err = {0};

	is_int(conf_parse(&c, "test", good, &err), 0, "floating resources %s", err.text);
	is_int(resource_index("matlab"), 4, "they stand after those of nodes");
	ok(resource_is_floating(4) && !resource_is_floating(3) && !resource_is_floating(0),
	   "the table knows which of them float");
	is_int(c->floating[0].total, 20, "a number is the total");
	is_int(c->floating[1].total, 8, "a group has a total");
	is_str(c->floating[1].queues[0].name, "cfd", "and reservations");
	conf_show(c, true, &shown);
	is_int(conf_parse(&again, "test", (const char *)shown.data, &err), 0,
	       "what is shown can be read %s", err.text);
	is_int(again->floating[1].queue_count, 2, "and is the same");
	conf_free(again);
	conf_free(c);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		c = NULL;
		ok(conf_parse(&c, "test", bad[i].text, &err) < 0, "refused: %s", bad[i].says);
		has_str(err.text, bad[i].says, "the error has the reason");
	}
}

static void test_files(void)
{
	struct err err = {0};
	struct offer o;

	is_int(offer_parse("fpga=/dev/fpga[0-3]", &o, &err), 0, "files stand for a number %s",
	       err.text);
	is_int(o.amount, 4, "of them");
	is_str(o.files, "/dev/fpga[0-3]", "and are kept");
	is_int(offer_parse("fpga=/dev/a,b", &o, &err), -EINVAL, "a path begins with a slash");
	is_int(offer_parse("fpga=/dev/fpga[0-64]", &o, &err), -EINVAL, "at most 64");
}

static void test_kept(void)
{
	static const struct resource_row one[] = {{"fpga", RESOURCE_COUNT, false}};
	static const struct resource_row sized[] = {{"fpga", RESOURCE_SIZE, false}};
	struct err err = {0};

	resource_table_set(one, 1, &err);
	resource_table_keep();
	is_int(resource_table_set(one, 1, &err), 0, "a kept table accepts the same rows");
	is_int(resource_table_set(one, 0, &err), -EBUSY, "a removed row needs a restart");
	has_str(err.text, "needs a restart", "the error says so");
	is_int(resource_table_set(sized, 1, &err), -EBUSY, "so does another unit");
	is_int(resource_count(), 4, "the table is as it was");
}

int main(void)
{
	test_own();
	test_rows();
	test_file();
	test_floating();
	test_files();
	test_kept();
	return done();
}
