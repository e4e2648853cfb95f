MemcpyHtoD,0x00007f5a40000000,512
MemcpyHtoD,0x00007f5a40200000,16384
kernel-1.traceg
MemcpyDtoH,0x00007f5a40000000,512
kernel-2.traceg.xz
MemcpyHtoD,0x10,0
