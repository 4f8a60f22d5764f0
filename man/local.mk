# man
dist_man_MANS += man/armctld.8
