MemcpyHtoD,0x1000,64
