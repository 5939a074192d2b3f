#include "CFido.h"
#include "libfido2.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define MEMBER(name, result, arguments) result (*name) arguments;
static struct { LIBFIDO2_FUNCTIONS(MEMBER) } lib;
#undef MEMBER
/* Older versions lack it. */
static int (*set_timeout)(fido_dev_t *device, int milliseconds);

static pthread_once_t once = PTHREAD_ONCE_INIT;
static clibrary_failure failure;
static bool is_ready;

static void load(void) {
    void *library = clibrary_open("libfido2.so.1", &failure);
    if (library == NULL) return;
    is_ready = true;
#define FIND(name, result, arguments) is_ready = clibrary_find(library, #name, &lib.name) && is_ready;
    LIBFIDO2_FUNCTIONS(FIND)
#undef FIND
    clibrary_find(library, "fido_dev_set_timeout", &set_timeout);
    failure = (clibrary_failure){.reason = "libfido2.so.1 is too old", .is_missing = true};
}

const clibrary_failure *cfido_load(void) {
    pthread_once(&once, load);
    return is_ready ? NULL : &failure;
}

/* The settings of libfido2 belong to a thread. */
static void begin(void) { lib.fido_init(FIDO_DISABLE_U2F_FALLBACK); }

size_t cfido_list(char **paths, size_t limit) {
    begin();
    size_t found = 0, count = 0;
    fido_dev_info_t *list = lib.fido_dev_info_new(limit);
    if (list == NULL) return 0;
    if (lib.fido_dev_info_manifest(list, limit, &found) == CFIDO_OK) {
        for (size_t index = 0; index < found; index++) {
            const char *path = lib.fido_dev_info_path(lib.fido_dev_info_ptr(list, index));
            if (path != NULL && (paths[count] = strdup(path)) != NULL) count++;
        }
    }
    lib.fido_dev_info_free(&list, limit);
    return count;
}

int cfido_open(const char *path, const cfido_io *io, int milliseconds, cfido_device **device) {
    begin();
    fido_dev_t *own = lib.fido_dev_new();
    if (own == NULL) return CFIDO_INTERNAL;
    int status = io == NULL ? CFIDO_OK : lib.fido_dev_set_io_functions(own, io);
    /* First, because opening waits for the key too. */
    if (status == CFIDO_OK && set_timeout != NULL) status = set_timeout(own, milliseconds);
    if (status == CFIDO_OK) status = lib.fido_dev_open(own, path);
    *device = own;
    if (status == CFIDO_OK) return CFIDO_OK;
    cfido_close(own);
    *device = NULL;
    return status;
}

void cfido_close(cfido_device *device) {
    lib.fido_dev_close(device);
    lib.fido_dev_free(&device);
}

int cfido_has_secrets(cfido_device *device, bool *answer) {
    *answer = false;
    if (!lib.fido_dev_is_fido2(device)) return CFIDO_OK;
    fido_cbor_info_t *info = lib.fido_cbor_info_new();
    if (info == NULL) return CFIDO_INTERNAL;
    int status = lib.fido_dev_get_cbor_info(device, info);
    if (status == CFIDO_OK) {
        char **extensions = lib.fido_cbor_info_extensions_ptr(info);
        for (size_t index = 0; index < lib.fido_cbor_info_extensions_len(info); index++)
            if (strcmp(extensions[index], "hmac-secret") == 0) *answer = true;
    }
    lib.fido_cbor_info_free(&info);
    return status;
}

bool cfido_has_pin(const cfido_device *device) { return lib.fido_dev_has_pin(device); }

int cfido_tries(cfido_device *device, int *tries) { return lib.fido_dev_get_retry_count(device, tries); }

/* No signature is checked, because the secret alone counts: so the hash that a signature covers is random. */
static bool fill_random(uint8_t *bytes, size_t count) { return getrandom(bytes, count, 0) == (ssize_t)count; }

int cfido_make(
    cfido_device *device, const char *rp, const char *name, const char *pin, uint8_t *credential, size_t *count) {
    begin();
    uint8_t hash[32], user[32];
    fido_cred_t *new = lib.fido_cred_new();
    if (new == NULL || !fill_random(hash, sizeof hash) || !fill_random(user, sizeof user)) {
        lib.fido_cred_free(&new);
        return CFIDO_INTERNAL;
    }
    int status = lib.fido_cred_set_type(new, COSE_ES256);
    if (status == CFIDO_OK) status = lib.fido_cred_set_clientdata_hash(new, hash, sizeof hash);
    if (status == CFIDO_OK) status = lib.fido_cred_set_rp(new, rp, name);
    if (status == CFIDO_OK) status = lib.fido_cred_set_user(new, user, sizeof user, name, NULL, NULL);
    if (status == CFIDO_OK) status = lib.fido_cred_set_extensions(new, FIDO_EXT_HMAC_SECRET);
    if (status == CFIDO_OK) status = lib.fido_cred_set_rk(new, FIDO_OPT_FALSE);
    if (status == CFIDO_OK) status = lib.fido_dev_make_cred(device, new, pin);
    *count = status == CFIDO_OK ? lib.fido_cred_id_len(new) : 0;
    if (status == CFIDO_OK && (*count == 0 || *count > CFIDO_CREDENTIAL_LIMIT)) status = CFIDO_UNSUPPORTED_EXTENSION;
    if (status == CFIDO_OK) memcpy(credential, lib.fido_cred_id_ptr(new), *count);
    lib.fido_cred_free(&new);
    return status;
}

/* Returns a request for an assertion with a credential; NULL without memory. */
static fido_assert_t *request(const char *rp, const uint8_t *credential, size_t count) {
    uint8_t hash[32];
    fido_assert_t *assertion = lib.fido_assert_new();
    if (assertion != NULL && fill_random(hash, sizeof hash)
        && lib.fido_assert_set_clientdata_hash(assertion, hash, sizeof hash) == CFIDO_OK
        && lib.fido_assert_set_rp(assertion, rp) == CFIDO_OK && lib.fido_assert_allow_cred(assertion, credential, count) == CFIDO_OK)
        return assertion;
    lib.fido_assert_free(&assertion);
    return NULL;
}

int cfido_knows(cfido_device *device, const char *rp, const uint8_t *credential, size_t count) {
    begin();
    fido_assert_t *assertion = request(rp, credential, count);
    if (assertion == NULL) return CFIDO_INTERNAL;
    int status = lib.fido_assert_set_up(assertion, FIDO_OPT_FALSE);
    if (status == CFIDO_OK) status = lib.fido_dev_get_assert(device, assertion, NULL);
    lib.fido_assert_free(&assertion);
    return status;
}

int cfido_secret(
    cfido_device *device, const char *rp, const uint8_t *credential, size_t count, const uint8_t *salt, const char *pin,
    uint8_t *secret) {
    begin();
    fido_assert_t *assertion = request(rp, credential, count);
    if (assertion == NULL) return CFIDO_INTERNAL;
    int status = lib.fido_assert_set_extensions(assertion, FIDO_EXT_HMAC_SECRET);
    if (status == CFIDO_OK) status = lib.fido_assert_set_hmac_salt(assertion, salt, CFIDO_SALT_LENGTH);
    if (status == CFIDO_OK) status = lib.fido_dev_get_assert(device, assertion, pin);
    if (status == CFIDO_OK && lib.fido_assert_hmac_secret_len(assertion, 0) != CFIDO_SECRET_LENGTH) status = CFIDO_UNSUPPORTED_EXTENSION;
    if (status == CFIDO_OK) memcpy(secret, lib.fido_assert_hmac_secret_ptr(assertion, 0), CFIDO_SECRET_LENGTH);
    /* This erases the secret. */
    lib.fido_assert_free(&assertion);
    return status;
}
