#ifndef YETT_CLIBRARY_H
#define YETT_CLIBRARY_H

#include <stdbool.h>

/* Libraries of the distribution that are loaded on first use instead of at program start. */

/* Why a library cannot be used. */
typedef struct {
    /* One sentence that lives for ever. */
    const char *_Nonnull reason;
    /* Whether there is no such file, or one that is too old: installing it helps. */
    bool is_missing;
} clibrary_failure;

/* Loads a library by its soname, for good, with its symbols hidden from others (RTLD_LOCAL). NULL, and why, where it cannot be loaded.
 * Only a library whose own file is missing is called not installed: with too little memory or a broken file the reason is the loader's. */
void *_Nullable clibrary_open(const char *_Nonnull name, clibrary_failure *_Nonnull failure);

/* Copies the address of a symbol into `slot`, a pointer to a function pointer; whether there is one. */
bool clibrary_find(void *_Nonnull library, const char *_Nonnull symbol, void *_Nonnull slot);

#endif
