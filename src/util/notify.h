/*
 * A word to systemd (Type=notify): one datagram to $NOTIFY_SOCKET, nothing where there is none.
 */
#pragma once

/* "READY=1", "STOPPING=1", "RELOADING=1\nMONOTONIC_USEC=..." */
void notify_systemd(const char *text);
