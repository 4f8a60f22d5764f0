/*
 * Files and variables that mpirun needs in a job of several tasks.
 */
#pragma once

#include "armd/shepherd/state.h"
#include "armd/spool/host_files.h"

/* 0, or an error with why set. */
int shepherd_hosts(struct shepherd *s);
/* Tasks of an elastic job joined or left: rewrites the files. False: the list is the one that it has. */
bool shepherd_hosts_changed(struct shepherd *s, const ProtobufCBinaryData *hosts, int *ret_rc);
/* Writes a file that the user can read and the end of the task removes. 0 or a negative errno. */
int shepherd_write_host_file(struct shepherd *s, enum host_file file, const struct buf *text);
