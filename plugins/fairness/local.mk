# fairness plugins
