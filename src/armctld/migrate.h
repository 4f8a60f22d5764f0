/* armctld --migrate: the state moves from one state plugin to another. */
#pragma once

/* Returns an exit code. name: of this controller, or NULL; from, to: names of state plugins. */
int migrate_state(const char *conf_file, const char *name, const char *from, const char *to);
