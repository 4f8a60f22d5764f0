# wire
