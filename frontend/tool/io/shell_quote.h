/* Formats a command line so that a shell reads back the same words. */
#ifndef RUBATO_IO_SHELL_QUOTE_H
#define RUBATO_IO_SHELL_QUOTE_H

/* program and argv[0 .. argc), separated by blanks, quoted if necessary; the caller owns the
 * result. */
char *shell_quote(const char *program, int argc, char **argv);

#endif
