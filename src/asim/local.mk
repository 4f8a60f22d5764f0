# asim
