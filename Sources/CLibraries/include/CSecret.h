#ifndef YETT_CSECRET_H
#define YETT_CSECRET_H

#include <stddef.h>
#include <stdint.h>
#include "CLibrary.h"

/* One 256-bit key per store in the user's keyring, through libsecret, which is loaded on first use instead of at program start.
 *
 * Call csecret_load() first; the other functions may be called only after it has returned NULL. No call makes the keyring prompt the
 * user: a locked keyring is reported as locked. Every call blocks until the keyring's program has answered or csecret_call_stop is
 * called. */

/* Loads libsecret, once per process; thread-safe. Returns NULL on success, otherwise the reason for the failure. */
const clibrary_failure *_Nullable csecret_load(void);

typedef enum {
    CSECRET_DONE,
    /* The keyring is readable but does not have the key. */
    CSECRET_ABSENT,
    CSECRET_LOCKED,
    /* No program on the bus provides the Secret Service. */
    CSECRET_NO_SERVICE,
    /* The keyring has no default collection. */
    CSECRET_NO_COLLECTION,
    CSECRET_STOPPED,
    /* Another failure; csecret_call_message returns its message. */
    CSECRET_FAILED,
} csecret_status;

enum { CSECRET_KEY_LENGTH = 64 };

/* One call, which another thread may stop. Use each for one call of one of the functions below. */
typedef struct csecret_call csecret_call;
csecret_call *_Nullable csecret_call_new(void);
void csecret_call_stop(csecret_call *_Nonnull call);
void csecret_call_free(csecret_call *_Nonnull call);
/* Returns the error message of the keyring or of a library in between; untrusted text. */
const char *_Nullable csecret_call_message(const csecret_call *_Nonnull call);

/* Checks that there is an unlocked default collection. */
csecret_status csecret_probe(csecret_call *_Nonnull call);
/* Copies the key of the store `store`: CSECRET_KEY_LENGTH bytes of text, without a terminating NUL. `count` is the length of the stored
 * key; a key of another length is not copied. */
csecret_status csecret_look_up(
    csecret_call *_Nonnull call, const char *_Nonnull store, uint8_t *_Nonnull key, size_t *_Nonnull count);
/* Stores the key of a store in the default collection; it is durable when this returns. */
csecret_status csecret_keep(csecret_call *_Nonnull call, const char *_Nonnull store, const uint8_t *_Nonnull key);
/* Deletes the key of a store. */
csecret_status csecret_forget(csecret_call *_Nonnull call, const char *_Nonnull store);

#endif
