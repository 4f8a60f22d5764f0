# auth plugins
