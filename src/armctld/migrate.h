/* armctld --migrate: the state moves from one state plugin to another. */
#pragma once

/* Returns an exit code. from, to: names of state plugins. */
int migrate_state(const char *conf_file, const char *from, const char *to);
