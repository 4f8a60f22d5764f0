/* The state directory: its owner and modes, its files and its lock. */
#pragma once

#include "sqlite.h"
#include "walscan.h"

int dir_make(const char *path, struct armada_error *err);
/* Open the directory and check its owner and mode. */
int dir_open(const char *path, int *ret_fd, struct armada_error *err);
/* Check owner, mode and type of each of our files in the directory. */
int dir_check_files(int dir_fd, const char *path, struct armada_error *err);
bool dir_has(int dir_fd, const char *name);
/* Take the lock file; held until the descriptor is closed. */
int dir_lock(int dir_fd, const char *path, int *ret_fd, struct armada_error *err);
/* A new string path/name. */
char *dir_path(const char *path, const char *name);
/* Scan the WAL of this name, if it exists; -EUCLEAN: it is damaged, with the place in err. */
int dir_scan_wal(int dir_fd, const char *path, const char *name, struct wal_scan *ret_scan,
		 struct armada_error *err);
