#ifndef YETT_CFIDO_H
#define YETT_CFIDO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "CLibrary.h"

/* FIDO2 security keys with the extension hmac-secret (CTAP 2), through libfido2, which is loaded on first use instead of at program start.
 *
 * Call cfido_load() first; the other functions may be called only after it has returned NULL. A device is used by one thread. Every call
 * may block until the key answers, up to the time limit of the device. A result of type int is CFIDO_OK or another status. */

/* Loads libfido2, once per process; thread-safe. Returns NULL on success, otherwise the reason for the failure. */
const clibrary_failure *_Nullable cfido_load(void);

/* The status codes that are told apart here: those of CTAP 2, and negative ones of libfido2. */
enum {
    CFIDO_OK = 0x00,
    CFIDO_UNSUPPORTED_EXTENSION = 0x16,
    CFIDO_OPERATION_DENIED = 0x27,
    CFIDO_KEEPALIVE_CANCEL = 0x2d,
    CFIDO_NO_CREDENTIALS = 0x2e,
    CFIDO_USER_ACTION_TIMEOUT = 0x2f,
    CFIDO_PIN_INVALID = 0x31,
    CFIDO_PIN_BLOCKED = 0x32,
    CFIDO_PIN_AUTH_BLOCKED = 0x34,
    CFIDO_PIN_NOT_SET = 0x35,
    CFIDO_PIN_REQUIRED = 0x36,
    CFIDO_PIN_POLICY_VIOLATION = 0x37,
    CFIDO_ACTION_TIMEOUT = 0x3a,
    /* Also without memory. */
    CFIDO_INTERNAL = -9,
};

enum { CFIDO_SALT_LENGTH = 32, CFIDO_SECRET_LENGTH = 32, CFIDO_CREDENTIAL_LIMIT = 1024 };

/* Replaces the reports of a HID device, for a key that is not one. Reports have 64 bytes; a written one follows its number, 0. */
typedef struct {
    void *_Nullable (*_Nonnull open)(const char *_Nonnull path);
    void (*_Nonnull close)(void *_Nullable handle);
    int (*_Nonnull read)(void *_Nullable handle, unsigned char *_Nonnull bytes, size_t count, int milliseconds);
    int (*_Nonnull write)(void *_Nullable handle, const unsigned char *_Nonnull bytes, size_t count);
} cfido_io;

/* Copies the paths of at most `limit` keys that are plugged in; returns their number. The caller frees each path. */
size_t cfido_list(char *_Nullable *_Nonnull paths, size_t limit);

/* An open key. */
typedef struct fido_dev cfido_device;

/* Opens a key. `io` is NULL for a HID device of the kernel. `milliseconds` is the time limit of each call, which includes the wait for a
 * touch; older versions of libfido2 have only the limit of the key. */
int cfido_open(
    const char *_Nonnull path, const cfido_io *_Nullable io, int milliseconds, cfido_device *_Nullable *_Nonnull device);
void cfido_close(cfido_device *_Nonnull device);

/* Whether the key supports hmac-secret. */
int cfido_has_secrets(cfido_device *_Nonnull device, bool *_Nonnull answer);
/* Whether the key has a PIN. */
bool cfido_has_pin(const cfido_device *_Nonnull device);
/* Reads the number of wrong PINs that are left before the key blocks itself. */
int cfido_tries(cfido_device *_Nonnull device, int *_Nonnull tries);

/* Creates a credential for `rp` that is not stored on the key (ES256). Waits for a touch. `pin` is NULL for a key without one.
 * `credential` has room for CFIDO_CREDENTIAL_LIMIT bytes. */
int cfido_make(
    cfido_device *_Nonnull device, const char *_Nonnull rp, const char *_Nonnull name, const char *_Nullable pin,
    uint8_t *_Nonnull credential, size_t *_Nonnull count);
/* Checks without a touch or PIN that the key made the credential; otherwise CFIDO_NO_CREDENTIALS. */
int cfido_knows(cfido_device *_Nonnull device, const char *_Nonnull rp, const uint8_t *_Nonnull credential, size_t count);
/* Computes the secret of a credential and a salt. Waits for a touch. The secret differs with and without a PIN. */
int cfido_secret(
    cfido_device *_Nonnull device, const char *_Nonnull rp, const uint8_t *_Nonnull credential, size_t count, const uint8_t *_Nonnull salt,
    const char *_Nullable pin, uint8_t *_Nonnull secret);

#endif
