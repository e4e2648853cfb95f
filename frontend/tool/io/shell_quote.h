/* A command line as text that a shell reads back to the same words. */
#ifndef RUBATO_IO_SHELL_QUOTE_H
#define RUBATO_IO_SHELL_QUOTE_H

/* program and argv[0 .. argc), separated by blanks, quoted where needed; owned by the caller. */
char *shell_quote(const char *program, int argc, char **argv);

#endif
