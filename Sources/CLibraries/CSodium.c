#include "CSodium.h"

#include <pthread.h>

/* The declarations are here instead of in libsodium's header, so that a build does not need its development package. They are part of the
 * library's stable interface; the sizes of keys, nonces and tags are those of NaCl. */
static int (*initialize)(void);
static int (*key_pair)(unsigned char *public_key, unsigned char *private_key);
static int (*shared_key)(unsigned char *shared, const unsigned char *public_key, const unsigned char *private_key);
static int (*seal)(unsigned char *, const unsigned char *, unsigned long long, const unsigned char *, const unsigned char *);
static int (*unseal)(unsigned char *, const unsigned char *, unsigned long long, const unsigned char *, const unsigned char *);

static pthread_once_t once = PTHREAD_ONCE_INIT;
static clibrary_failure failure;
static bool is_ready;

static void load(void) {
    /* The newest version first; each has the functions used here. */
    void *library = clibrary_open("libsodium.so.26", &failure);
    if (library == NULL) library = clibrary_open("libsodium.so.23", &failure);
    if (library == NULL) return;
    if (!clibrary_find(library, "sodium_init", &initialize) || !clibrary_find(library, "crypto_box_keypair", &key_pair)
        || !clibrary_find(library, "crypto_box_beforenm", &shared_key) || !clibrary_find(library, "crypto_box_easy_afternm", &seal)
        || !clibrary_find(library, "crypto_box_open_easy_afternm", &unseal)) {
        failure = (clibrary_failure){.reason = "libsodium lacks crypto_box", .is_missing = true};
        return;
    }
    failure = (clibrary_failure){.reason = "libsodium cannot be initialised", .is_missing = false};
    is_ready = initialize() >= 0;
}

const clibrary_failure *csodium_load(void) {
    pthread_once(&once, load);
    return is_ready ? NULL : &failure;
}

bool csodium_key_pair(uint8_t *public_key, uint8_t *private_key) { return key_pair(public_key, private_key) == 0; }

bool csodium_shared_key(uint8_t *shared, const uint8_t *public_key, const uint8_t *private_key) {
    return shared_key(shared, public_key, private_key) == 0;
}

bool csodium_seal(uint8_t *sealed, const uint8_t *plain, size_t count, const uint8_t *nonce, const uint8_t *shared) {
    return seal(sealed, plain, count, nonce, shared) == 0;
}

bool csodium_open(uint8_t *plain, const uint8_t *sealed, size_t count, const uint8_t *nonce, const uint8_t *shared) {
    return count >= CSODIUM_TAG_BYTES && unseal(plain, sealed, count, nonce, shared) == 0;
}
