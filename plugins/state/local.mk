# state plugins
