# select plugins
