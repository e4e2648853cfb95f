kernel-1.trace
kernel-2.traceg
kernel-3-ctx_0x1.traceg.xz 

kernel-1.traceg
