#include "CVersion.h"

/* From the environment of the build, in Package.swift. Defined here because only this file is compiled with it. */
#ifndef YETT_COMMIT
#define YETT_COMMIT ""
#endif

const char *cversion_commit(void) { return YETT_COMMIT; }
