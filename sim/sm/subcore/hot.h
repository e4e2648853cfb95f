/*
 * First include of the files that run for every instruction: issue.c, issue_warp.c, run_ahead.c. They
 * are compiled twice: as they are, without counts per instruction, and by profiled.c with them.
 */
#ifndef RUBATO_SM_HOT_H
#define RUBATO_SM_HOT_H

#ifndef PROFILED
#define PROFILED(sm) false
#endif

#endif
