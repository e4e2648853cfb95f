MemcpyHtoD, 0x1000,  64 	
kernel-1.traceg	 
