kernel-1.tracez
