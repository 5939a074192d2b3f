#ifndef YETT_CSODIUM_H
#define YETT_CSODIUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "CLibrary.h"

/* The authenticated encryption of libsodium (crypto_box: X25519 and XSalsa20-Poly1305), loaded on first use instead of at program start.
 *
 * Call csodium_load() first; the other functions may be called only after it has returned NULL. Thread-safe. */

#define CSODIUM_KEY_BYTES 32
#define CSODIUM_NONCE_BYTES 24
#define CSODIUM_TAG_BYTES 16

/* Loads and initialises libsodium, once per process. Returns NULL on success, otherwise the reason for the failure. */
const clibrary_failure *_Nullable csodium_load(void);

/* Creates a pair of keys. */
bool csodium_key_pair(uint8_t *_Nonnull public_key, uint8_t *_Nonnull private_key);

/* Computes the key that both sides share. Returns false if the other side's key is not acceptable, for example of small order. */
bool csodium_shared_key(uint8_t *_Nonnull shared, const uint8_t *_Nonnull public_key, const uint8_t *_Nonnull private_key);

/* Encrypts `count` bytes to `count` + CSODIUM_TAG_BYTES bytes. */
bool csodium_seal(
    uint8_t *_Nonnull sealed, const uint8_t *_Nonnull plain, size_t count, const uint8_t *_Nonnull nonce, const uint8_t *_Nonnull shared);

/* Decrypts `count` bytes, at least CSODIUM_TAG_BYTES, to `count` - CSODIUM_TAG_BYTES bytes. Returns false if they are not authentic. */
bool csodium_open(
    uint8_t *_Nonnull plain, const uint8_t *_Nonnull sealed, size_t count, const uint8_t *_Nonnull nonce, const uint8_t *_Nonnull shared);

#endif
