#include "CLibrary.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* dlopen reports an error only as text: "NAME: cannot open shared object file: No such file or directory". If a library that the
 * requested one needs is missing, NAME is the name of the missing library. */
static bool is_missing(const char *name, const char *words) {
    const char *reason = strerror(ENOENT);
    size_t length = strlen(words), end = strlen(reason), begin = strlen(name);
    return strncmp(words, name, begin) == 0 && words[begin] == ':' && length >= end && strcmp(words + length - end, reason) == 0;
}

void *clibrary_open(const char *name, clibrary_failure *failure) {
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library != NULL) return library;
    const char *words = dlerror();
    char *sentence = NULL;
    failure->is_missing = words != NULL && is_missing(name, words);
    int length = failure->is_missing ? asprintf(&sentence, "%s is not installed", name)
                                     : asprintf(&sentence, "%s cannot be loaded: %s", name, words != NULL ? words : "no reason given");
    failure->reason = length >= 0 ? sentence : "a library cannot be loaded: no memory";
    return NULL;
}

bool clibrary_find(void *library, const char *symbol, void *slot) {
    void *address = dlsym(library, symbol);
    memcpy(slot, &address, sizeof address);
    return address != NULL;
}
