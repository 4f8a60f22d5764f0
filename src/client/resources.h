/*
 * The resources of the cluster for a command.
 *
 * armada.conf of this machine may lack the resources that a site adds: only the controller's has to have
 * them. So a command asks the controller when a name is not in the table.
 */
#pragma once

/* From now on. Without a controller the table stays as it is. */
void client_learns_resources(void);
