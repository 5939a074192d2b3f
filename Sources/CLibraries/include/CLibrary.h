#ifndef YETT_CLIBRARY_H
#define YETT_CLIBRARY_H

#include <stdbool.h>

/* Libraries of the distribution that are loaded on first use instead of at program start. */

/* The reason why a library cannot be used. */
typedef struct {
    /* One sentence; never freed. */
    const char *_Nonnull reason;
    /* Whether the file is missing or too old, so that installing it helps. */
    bool is_missing;
} clibrary_failure;

/* Loads a library by its soname, permanently, with its symbols hidden from other libraries (RTLD_LOCAL). Returns NULL and the reason if
 * that fails. The reason is "not installed" only if the library's own file is missing; for other failures, such as too little memory or
 * a broken file, it is the loader's message. */
void *_Nullable clibrary_open(const char *_Nonnull name, clibrary_failure *_Nonnull failure);

/* Copies the address of a symbol into `slot`, a pointer to a function pointer. Returns false if there is no such symbol. */
bool clibrary_find(void *_Nonnull library, const char *_Nonnull symbol, void *_Nonnull slot);

#endif
