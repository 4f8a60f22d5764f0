/*
 * The choice of the mpi plugin (mpi.h). Input: --mpi, the plugins of this release and of plugin_dir, and the
 * MPI library that the program is linked with. Output: the name of a plugin, a warning, and with --verbose
 * what was chosen and why.
 */
#include "cmd/arun/mpi.h"

#include "cmd/common/mpi_library.h"
#include "cmd/common/mpi_warning.h"
#include "conf/conf.h"
#include "util/mem.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <sodium.h>
#include <string.h>

/* The plugins of this release: nodes have them, also if this machine does not. */
static const char *const known[] = {"pmi1"};

/* What a library needs; NULL: no plugin of this release serves it. */
static const char *const plugin_for[] = {
	[MPI_LIBRARY_NONE] = NULL,
	[MPI_LIBRARY_MPICH] = "pmi1",
	[MPI_LIBRARY_OPEN_MPI] = NULL,
	[MPI_LIBRARY_OTHER] = NULL,
};

static bool is_known(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (strlen(known[i]) == len && memcmp(known[i], name, len) == 0)
			return true;
	return false;
}

/* The files mpi_NAME.so of the directory: adds their names to list; true if one is `wanted`. */
static bool find_others(const char *dir, const char *wanted, struct buf *list)
{
	CLEANUP_DIR DIR *d = opendir(dir);
	const struct dirent *e;
	bool found = false;

	while (d && (e = readdir(d))) {
		size_t len = strlen(e->d_name);

		if (len < 8 || strncmp(e->d_name, "mpi_", 4) != 0 ||
		    strcmp(e->d_name + len - 3, ".so") != 0 || is_known(e->d_name + 4, len - 7))
			continue;
		buf_addf(list, ", %.*s", (int)len - 7, e->d_name + 4);
		found |= strlen(wanted) == len - 7 && strncmp(e->d_name + 4, wanted, len - 7) == 0;
	}
	return found;
}

static int check_name(const char *name, const struct conf *conf, struct err *err)
{
	CLEANUP_BUF struct buf list = {0};

	buf_addstr(&list, "auto, none");
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		buf_addf(&list, ", %s", known[i]);
	if (find_others(conf->plugin_dir, name, &list) || is_known(name, strlen(name)))
		return 0;
	return err_set(err, -EINVAL, "--mpi: '%s' is not one of %s", name, (char *)list.data);
}

/* The plugin that the library of the program needs. */
static const char *detect(const struct arun *a, const char *program, const char *dir)
{
	char name[MPI_LIBRARY_NAME];
	enum mpi_library library = mpi_library_of(program, dir, name);
	const char *plugin = plugin_for[library];

	if (a->verbose && library)
		fprintf(stderr, "%s: --mpi=auto: %s, because %s is linked with %s\n", a->self->name,
			plugin ? plugin : "none", program, name);
	else if (a->verbose)
		fprintf(stderr,
			"%s: --mpi=auto: none, because %s is not linked with an MPI library\n",
			a->self->name, program);
	return plugin;
}

int arun_mpi_choose(struct arun *a, const struct conf *conf, const char *program, const char *dir,
		    struct err *err)
{
	const char *wanted = a->mpi ? a->mpi : "auto";
	uint64_t random;
	int rc = 0;

	if (strcmp(wanted, "auto") == 0) {
		a->mpi_plugin = detect(a, program, dir);
	} else if (strcmp(wanted, "none") != 0) {
		rc = check_name(wanted, conf, err);
		a->mpi_plugin = wanted;
	}
	randombytes_buf(&random, sizeof(random));
	snprintf(a->mpi_step, sizeof(a->mpi_step), "armada-%016" PRIx64, random);
	return rc;
}

/* A plugin of a site may serve every library; those of this release serve one each. */
static bool serves(const char *plugin, enum mpi_library library)
{
	const char *needs = plugin_for[library];

	if (!plugin)
		return false;
	return !is_known(plugin, strlen(plugin)) || library == MPI_LIBRARY_OTHER ||
	       (needs && strcmp(needs, plugin) == 0);
}

void arun_mpi_warn(const struct arun *a, const char *program, const char *dir, uint32_t tasks)
{
	char name[MPI_LIBRARY_NAME];
	enum mpi_library library;
	const char *needs;

	if (a->quiet || tasks < 2)
		return;
	library = mpi_library_of(program, dir, name);
	needs = plugin_for[library];
	if (library == MPI_LIBRARY_NONE || serves(a->mpi_plugin, library))
		return;
	if (needs)
		mpi_warning_say(a->self, program, tasks, "MPICH needs --mpi=pmi1");
	else if (library == MPI_LIBRARY_OPEN_MPI)
		mpi_warning_say(a->self, program, tasks,
				"start it with mpirun in a script, because Open MPI needs PMIx, "
				"which arun does not offer");
	else
		mpi_warning_say(a->self, program, tasks, "start it with mpirun in a script");
}
