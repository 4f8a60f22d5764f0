/*
 * A word to systemd (Type=notify): one datagram to $NOTIFY_SOCKET, nothing where there is none.
 */
#ifndef UTIL_NOTIFY_H
#define UTIL_NOTIFY_H

/* "READY=1", "STOPPING=1", "RELOADING=1\nMONOTONIC_USEC=..." */
void notify_systemd(const char *text);

#endif
