#ifndef YETT_CTLS_H
#define YETT_CTLS_H

#include "CLibrary.h"
#include <stdbool.h>
#include <stddef.h>

/* The server side of TLS with OpenSSL, loaded on first use instead of at program start. It uses no socket: the caller passes the
 * received bytes in and takes the bytes to send out.
 *
 * Call ctls_load() first; the other functions may be called only after it has returned NULL. */

/* Loads OpenSSL, once per process; thread-safe. Returns NULL on success, otherwise the reason for the failure. */
const clibrary_failure *_Nullable ctls_load(void);

/* A key and its self-signed certificate. */
typedef struct ctls_identity ctls_identity;

/* Creates a key and a certificate; NULL if OpenSSL fails.
 *
 * host: the certificate's subject alternative name: "IP:127.0.0.1", "DNS:host.example".
 * from, until: the validity period, in seconds from now. */
ctls_identity *_Nullable ctls_identity_new(
    const char *_Nonnull common_name, const char *_Nonnull host, long from, long until);
void ctls_identity_free(ctls_identity *_Nullable identity);

/* Returns the certificate as PEM text, to be freed with free(); NULL if there is no memory. */
char *_Nullable ctls_identity_copy_pem(const ctls_identity *_Nonnull identity);

/* A certificate authority: a key, which is only in memory, and its certificate. */
typedef struct ctls_authority ctls_authority;

/* Creates an authority; NULL if OpenSSL fails.
 *
 * constraints: the hosts that its certificates may be for, as an OpenSSL value of nameConstraints (RFC 5280 section 4.2.1.10).
 * from, until: the validity period, in seconds from now. */
ctls_authority *_Nullable ctls_authority_new(
    const char *_Nonnull common_name, const char *_Nonnull constraints, long from, long until);
void ctls_authority_free(ctls_authority *_Nullable authority);

/* Returns the authority's certificate, as ctls_identity_copy_pem() does. */
char *_Nullable ctls_authority_copy_pem(const ctls_authority *_Nonnull authority);

/* Creates a key and a certificate that the authority signs; NULL if OpenSSL fails. Its sessions speak HTTP/1.1 and at least TLS 1.2. The
 * parameters are those of ctls_identity_new(). */
ctls_identity *_Nullable ctls_authority_issue(
    const ctls_authority *_Nonnull authority, const char *_Nonnull common_name, const char *_Nonnull host, long from, long until);

/* A TLS connection. */
typedef struct ctls_session ctls_session;

/* Creates a session that waits for a client's first bytes; NULL if OpenSSL fails.
 *
 * demands_certificate: ends the handshake of a client that presents no certificate. A certificate of any issuer is accepted. */
ctls_session *_Nullable ctls_session_new(ctls_identity *_Nonnull identity, bool demands_certificate);
void ctls_session_free(ctls_session *_Nullable session);

/* Passes received bytes to the session; false if there is no memory. */
bool ctls_session_feed(ctls_session *_Nonnull session, const void *_Nonnull bytes, size_t count);

enum ctls_end { CTLS_OPEN, CTLS_CLOSED, CTLS_FAILED };

/* Continues the handshake or decrypts received bytes. Returns the number of decrypted bytes, at most `room`. If it is 0, `end` tells
 * whether more bytes may follow, the client has closed the connection, or the client's data was invalid. */
size_t ctls_session_read(ctls_session *_Nonnull session, void *_Nonnull bytes, size_t room, enum ctls_end *_Nonnull end);

/* Returns the host that the client named (RFC 6066 section 3); NULL if it named none, or has not yet. */
const char *_Nullable ctls_session_host(const ctls_session *_Nonnull session);

/* Encrypts bytes to send; false before the end of the handshake, or if it failed. */
bool ctls_session_write(ctls_session *_Nonnull session, const void *_Nonnull bytes, size_t count);

/* Sends the closure alert (close_notify) to the client. */
void ctls_session_finish(ctls_session *_Nonnull session);

/* Copies encrypted bytes to send. Returns their number, at most `room`. */
size_t ctls_session_take(ctls_session *_Nonnull session, void *_Nonnull bytes, size_t room);

#endif
