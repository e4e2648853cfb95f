MemcpyHtoD,0x1000
kernel-1.traceg
