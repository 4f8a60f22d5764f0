# contain plugins
