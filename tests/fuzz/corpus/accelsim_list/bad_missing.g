kernel-4.traceg
