# Manual pages.
dist_man_MANS += man/armctld.8
dist_man_MANS += man/armd.8
dist_man_MANS += man/armada.conf.5
dist_man_MANS += man/armada-plugins.7
