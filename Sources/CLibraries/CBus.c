#include "CBus.h"

#include "CLibrary.h"
#include <pthread.h>
#include <stddef.h>

static cbus_functions bus;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_ready;

static void load(void) {
    clibrary_failure failure;
    void *library = clibrary_open("libsystemd.so.0", &failure);
    if (library == NULL) library = clibrary_open("libelogind.so.0", &failure);
    if (library == NULL) return;
    is_ready = true;
#define FIND(name, result, arguments) is_ready = clibrary_find(library, "sd_bus_" #name, &bus.name) && is_ready;
    CBUS_FUNCTIONS(FIND)
#undef FIND
}

const cbus_functions *cbus_load(void) {
    pthread_once(&once, load);
    return is_ready ? &bus : NULL;
}
