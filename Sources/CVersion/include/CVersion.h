#ifndef YETT_CVERSION_H
#define YETT_CVERSION_H

/* Returns the version of Yett. Defined in the header, so that the statically linked launcher links nothing else. */
static inline const char *cversion_text(void) { return "0.1.0"; }

/* Returns the commit that the program was built from; empty for a development build. */
const char *cversion_commit(void);

#endif
