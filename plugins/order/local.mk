# order plugins
