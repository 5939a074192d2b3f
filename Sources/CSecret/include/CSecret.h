#ifndef YETT_CSECRET_H
#define YETT_CSECRET_H

#include <stddef.h>
#include <stdint.h>
#include "CLibrary.h"

/* One 256-bit key a store in the person's keyring, through libsecret, which is loaded on first use instead of at program start.
 *
 * Nothing here may be called before csecret_load() returned NULL. No call ever makes the keyring ask the person: what is locked is
 * reported as that. Every call blocks until the keyring's program has answered, or csecret_call_stop was called. */

/* Loads libsecret, once per process; thread-safe. NULL when it is there, else the reason it is not. */
const clibrary_failure *_Nullable csecret_load(void);

typedef enum {
    CSECRET_DONE,
    /* The keyring can be read, and does not have the key. */
    CSECRET_ABSENT,
    CSECRET_LOCKED,
    /* No program on the bus keeps secrets. */
    CSECRET_NO_SERVICE,
    /* It has no default collection. */
    CSECRET_NO_COLLECTION,
    CSECRET_STOPPED,
    /* For another reason: csecret_call_message has it. */
    CSECRET_FAILED,
} csecret_status;

enum { CSECRET_KEY_LENGTH = 64 };

/* One call, which another thread may stop. Each is used for one of the functions below, once. */
typedef struct csecret_call csecret_call;
csecret_call *_Nullable csecret_call_new(void);
void csecret_call_stop(csecret_call *_Nonnull call);
void csecret_call_free(csecret_call *_Nonnull call);
/* What the keyring, or what lies in between, says of a failure; text from outside. */
const char *_Nullable csecret_call_message(const csecret_call *_Nonnull call);

/* Whether there is an unlocked default collection. */
csecret_status csecret_probe(csecret_call *_Nonnull call);
/* Copies the key of the store `store`, as text of CSECRET_KEY_LENGTH bytes without an end. One of another length counts as foreign:
 * `count` tells. */
csecret_status csecret_look_up(
    csecret_call *_Nonnull call, const char *_Nonnull store, uint8_t *_Nonnull key, size_t *_Nonnull count);
/* Puts the key of a store into the default collection; it is durable when this returns. */
csecret_status csecret_keep(csecret_call *_Nonnull call, const char *_Nonnull store, const uint8_t *_Nonnull key);
/* Removes the key of a store. */
csecret_status csecret_forget(csecret_call *_Nonnull call, const char *_Nonnull store);

#endif
