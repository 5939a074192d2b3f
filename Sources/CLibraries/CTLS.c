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
#include <sys/random.h>

/* All functions that are called, with the names and types of OpenSSL's headers. */
#define FUNCTIONS(CALL) \
    CALL(ASN1_INTEGER_set_uint64) CALL(BIO_ctrl_pending) CALL(BIO_free) CALL(BIO_new) CALL(BIO_read) CALL(BIO_s_mem) \
    CALL(BIO_write) CALL(ERR_clear_error) CALL(EVP_PKEY_Q_keygen) CALL(EVP_PKEY_free) CALL(EVP_sha256) \
    CALL(PEM_write_bio_X509) CALL(SSL_CTX_ctrl) CALL(SSL_CTX_free) CALL(SSL_CTX_new) CALL(SSL_CTX_set_alpn_select_cb) \
    CALL(SSL_CTX_set_options) CALL(SSL_CTX_use_PrivateKey) CALL(SSL_CTX_use_certificate) CALL(SSL_free) CALL(SSL_get_error) \
    CALL(SSL_get_servername) CALL(SSL_new) CALL(SSL_read) CALL(SSL_select_next_proto) CALL(SSL_set_accept_state) CALL(SSL_set_bio) \
    CALL(SSL_set_session_id_context) CALL(SSL_set_verify) CALL(SSL_shutdown) CALL(SSL_write) CALL(TLS_server_method) \
    CALL(X509V3_EXT_conf_nid) CALL(X509V3_set_ctx) CALL(X509_EXTENSION_free) CALL(X509_NAME_add_entry_by_txt) CALL(X509_add_ext) CALL(X509_free) \
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

struct ctls_authority {
    EVP_PKEY *key;
    X509 *certificate;
};

struct extension {
    int kind;
    const char *value;
};

/* What a certificate says. The value of the last extension is NULL. */
struct statement {
    const char *common_name;
    long from, until;
    const struct extension *extensions;
};

/* authority: NULL for a self-signed certificate. */
static bool extend(X509 *certificate, const ctls_authority *authority, int kind, const char *value) {
    X509V3_CTX context = {0};
    tls.X509V3_set_ctx(&context, authority != NULL ? authority->certificate : certificate, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = tls.X509V3_EXT_conf_nid(NULL, &context, kind, value);
    bool is_done = extension != NULL && tls.X509_add_ext(certificate, extension, -1) == 1;
    tls.X509_EXTENSION_free(extension);
    return is_done;
}

static bool fill(X509 *certificate, EVP_PKEY *key, const ctls_authority *authority, const struct statement *statement) {
    X509_NAME *name = tls.X509_get_subject_name(certificate);
    uint64_t serial = 0;
    /* A client may refuse two certificates of one issuer with the same number. */
    if (getrandom(&serial, sizeof serial, 0) != sizeof serial) return false;
    bool is_filled = tls.X509_set_version(certificate, X509_VERSION_3) == 1
        && tls.ASN1_INTEGER_set_uint64(tls.X509_get_serialNumber(certificate), serial >> 1 | 1) == 1
        && tls.X509_gmtime_adj(tls.X509_getm_notBefore(certificate), statement->from) != NULL
        && tls.X509_gmtime_adj(tls.X509_getm_notAfter(certificate), statement->until) != NULL
        /* GnuTLS takes a common name for a host, and compares it with the authority's constraints. */
        && tls.X509_NAME_add_entry_by_txt(
               name, authority != NULL ? "O" : "CN", MBSTRING_UTF8, (const unsigned char *)statement->common_name, -1, -1, 0) == 1
        && tls.X509_set_issuer_name(
               certificate, authority != NULL ? tls.X509_get_subject_name(authority->certificate) : name) == 1
        && tls.X509_set_pubkey(certificate, key) == 1;
    for (const struct extension *next = statement->extensions; is_filled && next->value != NULL; next++)
        is_filled = extend(certificate, authority, next->kind, next->value);
    return is_filled && tls.X509_sign(certificate, authority != NULL ? authority->key : key, tls.EVP_sha256()) > 0;
}

static ctls_identity *make_identity(const ctls_authority *authority, const struct statement *statement) {
    tls.ERR_clear_error();
    ctls_identity *identity = calloc(1, sizeof *identity);
    if (identity == NULL) return NULL;
    identity->key = tls.EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
    identity->certificate = tls.X509_new();
    identity->context = tls.SSL_CTX_new(tls.TLS_server_method());
    if (identity->key != NULL && identity->certificate != NULL && identity->context != NULL
        && fill(identity->certificate, identity->key, authority, statement)
        && tls.SSL_CTX_use_certificate(identity->context, identity->certificate) == 1
        && tls.SSL_CTX_use_PrivateKey(identity->context, identity->key) == 1)
        return identity;
    ctls_identity_free(identity);
    return NULL;
}

ctls_identity *ctls_identity_new(const char *common_name, const char *host, long from, long until) {
    const struct extension extensions[] = {{NID_subject_alt_name, host}, {0, NULL}};
    return make_identity(NULL, &(struct statement){common_name, from, until, extensions});
}

ctls_authority *ctls_authority_new(const char *common_name, const char *constraints, long from, long until) {
    tls.ERR_clear_error();
    ctls_authority *authority = calloc(1, sizeof *authority);
    if (authority == NULL) return NULL;
    authority->key = tls.EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
    authority->certificate = tls.X509_new();
    const struct extension extensions[] = {
        {NID_basic_constraints, "critical,CA:TRUE,pathlen:0"}, {NID_key_usage, "critical,keyCertSign"},
        {NID_subject_key_identifier, "hash"}, {NID_name_constraints, constraints}, {0, NULL},
    };
    if (authority->key != NULL && authority->certificate != NULL
        && fill(authority->certificate, authority->key, NULL,
                &(struct statement){common_name, from, until, extensions}))
        return authority;
    ctls_authority_free(authority);
    return NULL;
}

void ctls_authority_free(ctls_authority *authority) {
    if (authority == NULL) return;
    tls.X509_free(authority->certificate);
    tls.EVP_PKEY_free(authority->key);
    free(authority);
}

/* RFC 7301. A client that names protocols and not this one gets the alert that says so. */
static int choose_http1(
    SSL *ssl, const unsigned char **chosen, unsigned char *length, const unsigned char *offered, unsigned count, void *unused) {
    (void)ssl, (void)unused;
    static const unsigned char known[] = "\x08http/1.1";
    unsigned char *out = NULL;
    if (tls.SSL_select_next_proto(&out, length, known, sizeof known - 1, offered, count) != OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    *chosen = out;
    return SSL_TLSEXT_ERR_OK;
}

ctls_identity *ctls_authority_issue(
    const ctls_authority *authority, const char *common_name, const char *host, long from, long until) {
    const struct extension extensions[] = {
        {NID_basic_constraints, "critical,CA:FALSE"}, {NID_key_usage, "critical,digitalSignature"}, {NID_ext_key_usage, "serverAuth"},
        {NID_subject_key_identifier, "hash"}, {NID_authority_key_identifier, "keyid:always"}, {NID_subject_alt_name, host}, {0, NULL},
    };
    ctls_identity *identity = make_identity(authority, &(struct statement){common_name, from, until, extensions});
    if (identity == NULL) return NULL;
    tls.SSL_CTX_ctrl(identity->context, SSL_CTRL_SET_MIN_PROTO_VERSION, TLS1_2_VERSION, NULL);
    tls.SSL_CTX_set_alpn_select_cb(identity->context, choose_http1, NULL);
    /* A client that resumes a session names the host of that session, even if its new greeting has another one. */
    tls.SSL_CTX_set_options(identity->context, SSL_OP_NO_TICKET);
    tls.SSL_CTX_ctrl(identity->context, SSL_CTRL_SET_SESS_CACHE_MODE, SSL_SESS_CACHE_OFF, NULL);
    return identity;
}

void ctls_identity_free(ctls_identity *identity) {
    if (identity == NULL) return;
    tls.SSL_CTX_free(identity->context);
    tls.X509_free(identity->certificate);
    tls.EVP_PKEY_free(identity->key);
    free(identity);
}

static char *copy_pem(const X509 *certificate) {
    tls.ERR_clear_error();
    BIO *memory = tls.BIO_new(tls.BIO_s_mem());
    if (memory == NULL) return NULL;
    char *text = NULL;
    if (tls.PEM_write_bio_X509(memory, certificate) == 1) {
        size_t count = tls.BIO_ctrl_pending(memory);
        text = calloc(count + 1, 1);
        if (text != NULL) tls.BIO_read(memory, text, (int)count);
    }
    tls.BIO_free(memory);
    return text;
}

char *ctls_identity_copy_pem(const ctls_identity *identity) { return copy_pem(identity->certificate); }

char *ctls_authority_copy_pem(const ctls_authority *authority) { return copy_pem(authority->certificate); }

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

const char *ctls_session_host(const ctls_session *session) {
    return tls.SSL_get_servername(session->ssl, TLSEXT_NAMETYPE_host_name);
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
