#ifndef YETT_CVERSION_H
#define YETT_CVERSION_H

/* The commit of the build, from the environment variable YETT_COMMIT; empty if it was not set. */
#ifndef YETT_COMMIT
#define YETT_COMMIT ""
#endif

/* Returns the version of Yett. Defined in the header, so that the statically linked launcher links nothing else. */
static inline const char *cversion_text(void) { return "0.1.0"; }

/* Returns the commit that the program was built from; empty for a development build. */
static inline const char *cversion_commit(void) { return YETT_COMMIT; }

#endif
