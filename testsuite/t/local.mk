# t
