/* free() and realloc() that overwrite memory before it is freed.
 *
 * Many components copy a secret: the strings of the Swift runtime, the buffers of libcurl and SwiftNIO, JSON and form encoders. All of
 * them release their copies with free(), so all copies can be wiped here. A program that links this target uses the replacement in
 * itself and in every library that it loads; the memory itself still comes from the C library (glibc manual, "Replacing malloc").
 *
 * glibc's own option for this (M_PERTURB) skips the blocks of the per-thread cache, which are most of them. */
#include "CWipingAllocator.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#ifndef __has_feature
#define __has_feature(name) 0
#endif

/* The address sanitizer has its own allocator. */
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !__has_feature(address_sanitizer)

extern void __libc_free(void *);

void free(void *block) {
    if (block == NULL) return;
    int number = errno;
    explicit_bzero(block, malloc_usable_size(block));
    __libc_free(block);
    errno = number;
}

void *realloc(void *block, size_t size) {
    if (block == NULL) return malloc(size);
    if (size == 0) {
        free(block);
        return NULL;
    }
    size_t room = malloc_usable_size(block);
    if (size <= room && size >= room / 2) {
        explicit_bzero((char *)block + size, room - size);
        return block;
    }
    void *moved = malloc(size);
    if (moved == NULL) return NULL;
    memcpy(moved, block, size < room ? size : room);
    free(block);
    return moved;
}

int cwiping_allocator_is_linked(void) { return 1; }

#else

/* The replacement is only tested with glibc. */
int cwiping_allocator_is_linked(void) { return 0; }

#endif
