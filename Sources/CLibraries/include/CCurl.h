#ifndef YETT_CCURL_H
#define YETT_CCURL_H

#include <stdbool.h>
#include <stddef.h>
#include <curl/curl.h>
#include "CLibrary.h"

/* libcurl, loaded on first use instead of at program start, with typed functions for its variadic calls.
 *
 * Call ccurl_load() first; the other functions may be called only after it has returned NULL. Do not call libcurl's own functions: they are
 * not linked. */

/* Loads and initialises libcurl, once per process; thread-safe. Returns NULL on success, otherwise the reason for the failure.
 *
 * Removes SSLKEYLOGFILE from the environment first, so that no key of a TLS connection is written to a file. */
const clibrary_failure *_Nullable ccurl_load(void);

/* Returns the versions of libcurl and of the libraries that it uses: libcurl/7.88.1 OpenSSL/3.0.17. */
const char *_Nonnull ccurl_version(void);

/* Returns a new transfer handle; NULL if there is no memory. */
CURL *_Nullable ccurl_easy_new(void);
void ccurl_easy_free(CURL *_Nonnull easy);

CURLcode ccurl_easy_set_long(CURL *_Nonnull easy, CURLoption option, long value);
CURLcode ccurl_easy_set_offset(CURL *_Nonnull easy, CURLoption option, curl_off_t value);
/* libcurl copies the text, except for CURLOPT_POSTFIELDS, which must be set with ccurl_easy_set_pointer. */
CURLcode ccurl_easy_set_string(CURL *_Nonnull easy, CURLoption option, const char *_Nullable value);
CURLcode ccurl_easy_set_pointer(CURL *_Nonnull easy, CURLoption option, void *_Nullable value);
/* libcurl copies the bytes. */
CURLcode ccurl_easy_set_blob(CURL *_Nonnull easy, CURLoption option, const void *_Nonnull bytes, size_t count);
/* libcurl uses the list in place; it must live as long as the handle. */
CURLcode ccurl_easy_set_list(CURL *_Nonnull easy, CURLoption option, const struct curl_slist *_Nullable list);

/* Receives a piece of the body or one header line. Returns the number of accepted bytes; fewer than received aborts the transfer. */
typedef size_t (*ccurl_receiver)(char *_Nonnull bytes, size_t size, size_t count, void *_Nullable context);
CURLcode ccurl_easy_set_body_receiver(CURL *_Nonnull easy, ccurl_receiver _Nonnull receiver, void *_Nullable context);
CURLcode ccurl_easy_set_header_receiver(CURL *_Nonnull easy, ccurl_receiver _Nonnull receiver, void *_Nullable context);

/* Gives the next bytes of a request's body. Returns their number, 0 at the end, CURL_READFUNC_PAUSE or CURL_READFUNC_ABORT. */
CURLcode ccurl_easy_set_body_sender(CURL *_Nonnull easy, ccurl_receiver _Nonnull sender, void *_Nullable context);
/* Lets a transfer continue that one of its callbacks paused. */
CURLcode ccurl_easy_continue(CURL *_Nonnull easy);

/* Send and receive bytes on the connection of a finished transfer with CURLOPT_CONNECT_ONLY, without blocking. CURLE_AGAIN means that its
 * socket is not ready. Receiving 0 bytes means that the peer closed the connection. */
CURLcode ccurl_easy_send(CURL *_Nonnull easy, const void *_Nonnull bytes, size_t size, size_t *_Nonnull count);
CURLcode ccurl_easy_receive(CURL *_Nonnull easy, void *_Nonnull space, size_t size, size_t *_Nonnull count);
/* Returns the socket of such a connection; -1 if there is none. */
curl_socket_t ccurl_easy_get_socket(CURL *_Nonnull easy);

/* Called just before each sending of a request, with the context and both ends of the connection. Any result other than
 * CURL_PREREQFUNC_OK aborts the transfer. A libcurl before 7.80 has no such hook: the setter returns CURLE_UNKNOWN_OPTION. */
typedef int (*ccurl_gate)(
    void *_Nullable context, char *_Nullable peer, char *_Nullable self, int peer_port, int self_port);
CURLcode ccurl_easy_set_request_gate(CURL *_Nonnull easy, ccurl_gate _Nonnull gate, void *_Nullable context);

/* Sets the only scheme that the transfer may use, redirects included: http or https. */
CURLcode ccurl_easy_set_scheme(CURL *_Nonnull easy, bool https);
/* Closes the transfer's sockets in child processes (close-on-exec). */
CURLcode ccurl_easy_set_close_on_exec(CURL *_Nonnull easy);

/* Ends a transfer without waiting for a name look-up that hangs. Returns CURLE_UNKNOWN_OPTION with a libcurl before 7.87. */
CURLcode ccurl_easy_set_quick_exit(CURL *_Nonnull easy);

/* Returns CURLAUTH_ANY, the safest scheme that the server offers. Swift cannot import it, because it is a cast. */
static inline long ccurl_any_authentication(void) { return (long)CURLAUTH_ANY; }

/* Return CURLAUTH_BASIC and CURLAUTH_DIGEST, which are casts as well. */
static inline long ccurl_basic_authentication(void) { return (long)CURLAUTH_BASIC; }
static inline long ccurl_digest_authentication(void) { return (long)CURLAUTH_DIGEST; }

/* Returns 0 if libcurl does not know the value. */
long ccurl_easy_get_long(CURL *_Nonnull easy, CURLINFO info);
/* Returns how many bytes of the body have arrived, before inflating. */
long ccurl_easy_get_received(CURL *_Nonnull easy);

/* Returns the server's certificate as PEM text, valid as long as the handle; NULL if libcurl has none. Needs CURLOPT_CERTINFO. */
const char *_Nullable ccurl_easy_get_certificate(CURL *_Nonnull easy);

/* Returns the header list with `line` appended; NULL, with the list unchanged, if there is no memory. */
struct curl_slist *_Nullable ccurl_headers_append(struct curl_slist *_Nullable list, const char *_Nonnull line);
/* Overwrites every line, then frees the list. */
void ccurl_headers_wipe_and_free(struct curl_slist *_Nullable list);

CURLM *_Nullable ccurl_multi_new(void);
CURLMcode ccurl_multi_free(CURLM *_Nonnull multi);
CURLMcode ccurl_multi_add(CURLM *_Nonnull multi, CURL *_Nonnull easy);
CURLMcode ccurl_multi_remove(CURLM *_Nonnull multi, CURL *_Nonnull easy);
CURLMcode ccurl_multi_perform(CURLM *_Nonnull multi);
/* Waits until a transfer can continue, one of the other descriptors is ready, ccurl_multi_wake is called, or the time is over. */
CURLMcode ccurl_multi_wait(CURLM *_Nonnull multi, struct curl_waitfd *_Nullable others, unsigned int count, int milliseconds);
/* Wakes ccurl_multi_wait. The only function that may be called from another thread. */
CURLMcode ccurl_multi_wake(CURLM *_Nonnull multi);
CURLMcode ccurl_multi_set_long(CURLM *_Nonnull multi, CURLMoption option, long value);
/* Returns the next finished transfer and its result; false if there is none. */
bool ccurl_multi_next_done(CURLM *_Nonnull multi, CURL *_Nullable *_Nonnull easy, CURLcode *_Nonnull result);

#endif
