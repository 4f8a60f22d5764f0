# sim
