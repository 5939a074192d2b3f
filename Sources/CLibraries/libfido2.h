#ifndef YETT_LIBFIDO2_H
#define YETT_LIBFIDO2_H

#include <stdbool.h>
#include <stddef.h>

/* The declarations of libfido2 that are used here, as in its header. They are part of the stable interface of libfido2.so.1, and using the
 * header would make every build depend on the development package. */

typedef struct fido_dev fido_dev_t;
typedef struct fido_dev_info fido_dev_info_t;
typedef struct fido_cbor_info fido_cbor_info_t;
typedef struct fido_cred fido_cred_t;
typedef struct fido_assert fido_assert_t;

enum { FIDO_DISABLE_U2F_FALLBACK = 0x02, COSE_ES256 = -7, FIDO_EXT_HMAC_SECRET = 0x01, FIDO_OPT_FALSE = 1 };

/* Name, result and arguments of each function. */
#define LIBFIDO2_FUNCTIONS(FUNCTION) \
    FUNCTION(fido_init, void, (int flags)) \
    FUNCTION(fido_dev_info_new, fido_dev_info_t *, (size_t count)) \
    FUNCTION(fido_dev_info_free, void, (fido_dev_info_t **list, size_t count)) \
    FUNCTION(fido_dev_info_manifest, int, (fido_dev_info_t *list, size_t limit, size_t *count)) \
    FUNCTION(fido_dev_info_ptr, const fido_dev_info_t *, (const fido_dev_info_t *list, size_t index)) \
    FUNCTION(fido_dev_info_path, const char *, (const fido_dev_info_t *info)) \
    FUNCTION(fido_dev_new, fido_dev_t *, (void)) \
    FUNCTION(fido_dev_free, void, (fido_dev_t **device)) \
    FUNCTION(fido_dev_set_io_functions, int, (fido_dev_t *device, const void *io)) \
    FUNCTION(fido_dev_open, int, (fido_dev_t *device, const char *path)) \
    FUNCTION(fido_dev_close, int, (fido_dev_t *device)) \
    FUNCTION(fido_dev_is_fido2, bool, (const fido_dev_t *device)) \
    FUNCTION(fido_dev_has_pin, bool, (const fido_dev_t *device)) \
    FUNCTION(fido_dev_get_retry_count, int, (fido_dev_t *device, int *count)) \
    FUNCTION(fido_dev_get_cbor_info, int, (fido_dev_t *device, fido_cbor_info_t *info)) \
    FUNCTION(fido_cbor_info_new, fido_cbor_info_t *, (void)) \
    FUNCTION(fido_cbor_info_free, void, (fido_cbor_info_t **info)) \
    FUNCTION(fido_cbor_info_extensions_ptr, char **, (const fido_cbor_info_t *info)) \
    FUNCTION(fido_cbor_info_extensions_len, size_t, (const fido_cbor_info_t *info)) \
    FUNCTION(fido_cred_new, fido_cred_t *, (void)) \
    FUNCTION(fido_cred_free, void, (fido_cred_t **credential)) \
    FUNCTION(fido_cred_set_type, int, (fido_cred_t *credential, int algorithm)) \
    FUNCTION(fido_cred_set_clientdata_hash, int, (fido_cred_t *credential, const unsigned char *hash, size_t count)) \
    FUNCTION(fido_cred_set_rp, int, (fido_cred_t *credential, const char *id, const char *name)) \
    FUNCTION(fido_cred_set_user, int, \
        (fido_cred_t *credential, const unsigned char *id, size_t count, const char *name, const char *display, const char *icon)) \
    FUNCTION(fido_cred_set_extensions, int, (fido_cred_t *credential, int flags)) \
    FUNCTION(fido_cred_set_rk, int, (fido_cred_t *credential, int option)) \
    FUNCTION(fido_dev_make_cred, int, (fido_dev_t *device, fido_cred_t *credential, const char *pin)) \
    FUNCTION(fido_cred_id_ptr, const unsigned char *, (const fido_cred_t *credential)) \
    FUNCTION(fido_cred_id_len, size_t, (const fido_cred_t *credential)) \
    FUNCTION(fido_assert_new, fido_assert_t *, (void)) \
    FUNCTION(fido_assert_free, void, (fido_assert_t **assertion)) \
    FUNCTION(fido_assert_set_clientdata_hash, int, (fido_assert_t *assertion, const unsigned char *hash, size_t count)) \
    FUNCTION(fido_assert_set_rp, int, (fido_assert_t *assertion, const char *id)) \
    FUNCTION(fido_assert_allow_cred, int, (fido_assert_t *assertion, const unsigned char *id, size_t count)) \
    FUNCTION(fido_assert_set_extensions, int, (fido_assert_t *assertion, int flags)) \
    FUNCTION(fido_assert_set_hmac_salt, int, (fido_assert_t *assertion, const unsigned char *salt, size_t count)) \
    FUNCTION(fido_assert_set_up, int, (fido_assert_t *assertion, int option)) \
    FUNCTION(fido_dev_get_assert, int, (fido_dev_t *device, fido_assert_t *assertion, const char *pin)) \
    FUNCTION(fido_assert_hmac_secret_ptr, const unsigned char *, (const fido_assert_t *assertion, size_t index)) \
    FUNCTION(fido_assert_hmac_secret_len, size_t, (const fido_assert_t *assertion, size_t index))

#endif
