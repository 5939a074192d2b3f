#include "CTLS.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* All functions that are called, with the names and types of OpenSSL's headers. */
#define FUNCTIONS(CALL) \
    CALL(ASN1_INTEGER_set) CALL(BIO_ctrl_pending) CALL(BIO_free) CALL(BIO_new) CALL(BIO_read) CALL(BIO_s_mem) \
    CALL(BIO_write) CALL(ERR_clear_error) CALL(EVP_PKEY_Q_keygen) CALL(EVP_PKEY_free) CALL(EVP_sha256) \
    CALL(PEM_write_bio_X509) CALL(SSL_CTX_free) CALL(SSL_CTX_new) CALL(SSL_CTX_use_PrivateKey) CALL(SSL_CTX_use_certificate) \
    CALL(SSL_free) CALL(SSL_get_error) CALL(SSL_new) CALL(SSL_read) CALL(SSL_set_accept_state) CALL(SSL_set_bio) \
    CALL(SSL_set_session_id_context) CALL(SSL_set_verify) CALL(SSL_shutdown) CALL(SSL_write) CALL(TLS_server_method) \
    CALL(X509V3_EXT_conf_nid) CALL(X509_EXTENSION_free) CALL(X509_NAME_add_entry_by_txt) CALL(X509_add_ext) CALL(X509_free) \
    CALL(X509_get_serialNumber) CALL(X509_get_subject_name) CALL(X509_getm_notAfter) CALL(X509_getm_notBefore) \
    CALL(X509_gmtime_adj) CALL(X509_new) CALL(X509_set_issuer_name) CALL(X509_set_pubkey) CALL(X509_set_version) CALL(X509_sign)

/* Declared as in the headers, so that the compiler checks each use. */
#define SLOT(name) __typeof__(&name) name;
static struct { FUNCTIONS(SLOT) } tls;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static clibrary_failure failure;
static bool is_ready;

static void load(void) {
    void *library = clibrary_open("libssl.so.3", &failure);
    if (library == NULL) return;
    /* This also searches libcrypto. */
#define FIND(name) is_ready = clibrary_find(library, #name, &tls.name) && is_ready;
    is_ready = true;
    FUNCTIONS(FIND)
    failure = (clibrary_failure){.reason = "libssl.so.3 lacks functions", .is_missing = true};
}

const clibrary_failure *ctls_load(void) {
    pthread_once(&once, load);
    return is_ready ? NULL : &failure;
}

struct ctls_identity {
    EVP_PKEY *key;
    X509 *certificate;
    SSL_CTX *context;
};

static bool extend(X509 *certificate, int kind, const char *value) {
    X509_EXTENSION *extension = tls.X509V3_EXT_conf_nid(NULL, NULL, kind, value);
    bool is_done = extension != NULL && tls.X509_add_ext(certificate, extension, -1) == 1;
    tls.X509_EXTENSION_free(extension);
    return is_done;
}

static bool fill(X509 *certificate, EVP_PKEY *key, const char *common_name, const char *host, long from, long until) {
    X509_NAME *name = tls.X509_get_subject_name(certificate);
    return tls.X509_set_version(certificate, X509_VERSION_3) == 1
        && tls.ASN1_INTEGER_set(tls.X509_get_serialNumber(certificate), 1) == 1
        && tls.X509_gmtime_adj(tls.X509_getm_notBefore(certificate), from) != NULL
        && tls.X509_gmtime_adj(tls.X509_getm_notAfter(certificate), until) != NULL
        && tls.X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, (const unsigned char *)common_name, -1, -1, 0) == 1
        && tls.X509_set_issuer_name(certificate, name) == 1 && tls.X509_set_pubkey(certificate, key) == 1
        && extend(certificate, NID_subject_alt_name, host) && tls.X509_sign(certificate, key, tls.EVP_sha256()) > 0;
}

ctls_identity *ctls_identity_new(const char *common_name, const char *host, long from, long until) {
    tls.ERR_clear_error();
    ctls_identity *identity = calloc(1, sizeof *identity);
    if (identity == NULL) return NULL;
    identity->key = tls.EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
    identity->certificate = tls.X509_new();
    identity->context = tls.SSL_CTX_new(tls.TLS_server_method());
    if (identity->key != NULL && identity->certificate != NULL && identity->context != NULL
        && fill(identity->certificate, identity->key, common_name, host, from, until)
        && tls.SSL_CTX_use_certificate(identity->context, identity->certificate) == 1
        && tls.SSL_CTX_use_PrivateKey(identity->context, identity->key) == 1)
        return identity;
    ctls_identity_free(identity);
    return NULL;
}

void ctls_identity_free(ctls_identity *identity) {
    if (identity == NULL) return;
    tls.SSL_CTX_free(identity->context);
    tls.X509_free(identity->certificate);
    tls.EVP_PKEY_free(identity->key);
    free(identity);
}

char *ctls_identity_copy_pem(const ctls_identity *identity) {
    tls.ERR_clear_error();
    BIO *memory = tls.BIO_new(tls.BIO_s_mem());
    if (memory == NULL) return NULL;
    char *text = NULL;
    if (tls.PEM_write_bio_X509(memory, identity->certificate) == 1) {
        size_t count = tls.BIO_ctrl_pending(memory);
        text = calloc(count + 1, 1);
        if (text != NULL) tls.BIO_read(memory, text, (int)count);
    }
    tls.BIO_free(memory);
    return text;
}

struct ctls_session {
    SSL *ssl;
    /* `ssl` owns both. */
    BIO *incoming, *outgoing;
};

static int take_any_certificate(int is_good, X509_STORE_CTX *chain) {
    (void)is_good, (void)chain;
    return 1;
}

ctls_session *ctls_session_new(ctls_identity *identity, bool demands_certificate) {
    tls.ERR_clear_error();
    ctls_session *session = calloc(1, sizeof *session);
    if (session == NULL) return NULL;
    session->ssl = tls.SSL_new(identity->context);
    session->incoming = tls.BIO_new(tls.BIO_s_mem());
    session->outgoing = tls.BIO_new(tls.BIO_s_mem());
    if (session->ssl == NULL || session->incoming == NULL || session->outgoing == NULL) {
        tls.BIO_free(session->incoming);
        tls.BIO_free(session->outgoing);
        tls.SSL_free(session->ssl);
        free(session);
        return NULL;
    }
    tls.SSL_set_bio(session->ssl, session->incoming, session->outgoing);
    tls.SSL_set_accept_state(session->ssl);
    if (demands_certificate) {
        tls.SSL_set_verify(session->ssl, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, take_any_certificate);
        /* Without a session id context, a client that resumes a session is refused. */
        tls.SSL_set_session_id_context(session->ssl, (const unsigned char *)"yett", 4);
    }
    return session;
}

void ctls_session_free(ctls_session *session) {
    if (session == NULL) return;
    tls.SSL_free(session->ssl);
    free(session);
}

bool ctls_session_feed(ctls_session *session, const void *bytes, size_t count) {
    tls.ERR_clear_error();
    return count == 0 || tls.BIO_write(session->incoming, bytes, (int)count) == (int)count;
}

size_t ctls_session_read(ctls_session *session, void *bytes, size_t room, enum ctls_end *end) {
    tls.ERR_clear_error();
    *end = CTLS_OPEN;
    int count = tls.SSL_read(session->ssl, bytes, (int)room);
    if (count > 0) return (size_t)count;
    int reason = tls.SSL_get_error(session->ssl, count);
    if (reason == SSL_ERROR_ZERO_RETURN) *end = CTLS_CLOSED;
    else if (reason != SSL_ERROR_WANT_READ && reason != SSL_ERROR_WANT_WRITE) *end = CTLS_FAILED;
    return 0;
}

bool ctls_session_write(ctls_session *session, const void *bytes, size_t count) {
    tls.ERR_clear_error();
    return count == 0 || tls.SSL_write(session->ssl, bytes, (int)count) == (int)count;
}

void ctls_session_finish(ctls_session *session) {
    tls.ERR_clear_error();
    tls.SSL_shutdown(session->ssl);
}

size_t ctls_session_take(ctls_session *session, void *bytes, size_t room) {
    tls.ERR_clear_error();
    int count = tls.BIO_read(session->outgoing, bytes, (int)room);
    return count > 0 ? (size_t)count : 0;
}
