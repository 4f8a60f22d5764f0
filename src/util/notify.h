/*
 * Notification of systemd (Type=notify): one datagram to $NOTIFY_SOCKET; nothing if it is not set.
 */
#pragma once

/* "READY=1", "STOPPING=1", "RELOADING=1\nMONOTONIC_USEC=..." */
void notify_systemd(const char *text);
