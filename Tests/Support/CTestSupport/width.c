#include "CTestSupport.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Swift Testing begins all tests at once unless this variable names a number: each then waits so long for its turn that time limits of the
// product run out in it. It reads the variable when the test program starts, so it is set before. WidthTests check the effect.
//
// Only there: a change of the environment moves it, and the static runtime of a release program looks for the arguments beside it.
__attribute__((constructor)) static void limit_width(int count, char **arguments) {
    if (count < 1 || strstr(arguments[0], ".xctest") == NULL) return;
    char width[16];
    snprintf(width, sizeof width, "%d", TESTS_AT_ONCE);
    setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", width, 0);
}
