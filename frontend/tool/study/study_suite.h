/* The suites of a study: its traces that are folders of traces, or archives. */
#ifndef RUBATO_STUDY_STUDY_SUITE_H
#define RUBATO_STUDY_STUDY_SUITE_H

#include "frontend/tool/io/text_list.h"
#include "frontend/tool/study/study.h"

/*
 * Replaces each trace of the study that is a folder without being a trace, or an archive, by the
 * traces in it (trace_tree.h). They have the names of the tree, after "NAME/" if the study names the
 * suite. match: patterns for the traces of all suites. folder: archives are unpacked into
 * FOLDER/unpacked, unless they are there already. Call it before study_finish(). RB_USAGE (RB_CONFIG
 * with a file): nothing matches, or two traces get the same name; RB_TRACE, RB_IO.
 */
RB_CHECKED rb_code_t study_expand(study_t *s, const text_list_t *match, const char *folder,
                                  rb_err_t *err);

/* FOLDER/unpacked, where archives are unpacked; the caller frees it. */
char *study_unpacked_folder(const char *folder);

/* Removes what study_expand() has unpacked, and folder if it is then empty. */
void study_drop_unpacked(study_t *s, const char *folder);

/*
 * Unpacks an archive into FOLDER/unpacked/NAME-HASH, in new memory, owned by the caller; *made: it
 * was not there. Another process that does the same is waited for.
 */
RB_CHECKED rb_code_t study_unpack(const char *archive, const char *folder, char **unpacked,
                                  bool *made, rb_err_t *err);

#endif
