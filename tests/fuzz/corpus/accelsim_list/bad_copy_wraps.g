MemcpyHtoD,0xffffffffffffffff,2
kernel-1.traceg
