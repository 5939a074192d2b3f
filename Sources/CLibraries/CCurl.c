#include "CCurl.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Declared as in curl.h, so that the compiler checks each use. The header's type-checking macros do not apply to pointers. */
static struct {
    __typeof__(&curl_global_init) global_init;
    __typeof__(&(curl_version)) version;
    __typeof__(&(curl_easy_init)) easy_init;
    __typeof__(&(curl_easy_cleanup)) easy_cleanup;
    __typeof__(&(curl_easy_setopt)) easy_setopt;
    __typeof__(&(curl_easy_getinfo)) easy_getinfo;
    __typeof__(&curl_easy_pause) easy_pause;
    __typeof__(&curl_easy_send) easy_send;
    __typeof__(&curl_easy_recv) easy_recv;
    __typeof__(&(curl_slist_append)) slist_append;
    __typeof__(&(curl_slist_free_all)) slist_free_all;
    __typeof__(&(curl_multi_init)) multi_init;
    __typeof__(&(curl_multi_cleanup)) multi_cleanup;
    __typeof__(&(curl_multi_add_handle)) multi_add_handle;
    __typeof__(&(curl_multi_remove_handle)) multi_remove_handle;
    __typeof__(&(curl_multi_perform)) multi_perform;
    __typeof__(&(curl_multi_poll)) multi_poll;
    __typeof__(&(curl_multi_wakeup)) multi_wakeup;
    __typeof__(&(curl_multi_setopt)) multi_setopt;
    __typeof__(&(curl_multi_info_read)) multi_info_read;
} curl;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static clibrary_failure failure;
static bool is_ready;

static void load(void) {
    unsetenv("SSLKEYLOGFILE");
    void *library = clibrary_open("libcurl.so.4", &failure);
    if (library == NULL) return;
#define FIND(member, name) clibrary_find(library, name, &curl.member)
    bool whole = FIND(global_init, "curl_global_init") && FIND(version, "curl_version") && FIND(easy_init, "curl_easy_init")
        && FIND(easy_cleanup, "curl_easy_cleanup") && FIND(easy_setopt, "curl_easy_setopt")
        && FIND(easy_getinfo, "curl_easy_getinfo") && FIND(easy_pause, "curl_easy_pause") && FIND(easy_send, "curl_easy_send")
        && FIND(easy_recv, "curl_easy_recv") && FIND(slist_append, "curl_slist_append")
        && FIND(slist_free_all, "curl_slist_free_all") && FIND(multi_init, "curl_multi_init")
        && FIND(multi_cleanup, "curl_multi_cleanup") && FIND(multi_add_handle, "curl_multi_add_handle")
        && FIND(multi_remove_handle, "curl_multi_remove_handle") && FIND(multi_perform, "curl_multi_perform")
        && FIND(multi_poll, "curl_multi_poll") && FIND(multi_wakeup, "curl_multi_wakeup")
        && FIND(multi_setopt, "curl_multi_setopt") && FIND(multi_info_read, "curl_multi_info_read");
#undef FIND
    if (!whole) {
        failure = (clibrary_failure){.reason = "libcurl.so.4 is older than 7.68", .is_missing = true};
        return;
    }
    is_ready = curl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
    failure.reason = "libcurl.so.4 cannot be initialised";
}

const clibrary_failure *ccurl_load(void) {
    pthread_once(&once, load);
    return is_ready ? NULL : &failure;
}

const char *ccurl_version(void) { return curl.version(); }

CURL *ccurl_easy_new(void) { return curl.easy_init(); }
void ccurl_easy_free(CURL *easy) { curl.easy_cleanup(easy); }

CURLcode ccurl_easy_set_long(CURL *easy, CURLoption option, long value) { return curl.easy_setopt(easy, option, value); }
CURLcode ccurl_easy_set_offset(CURL *easy, CURLoption option, curl_off_t value) { return curl.easy_setopt(easy, option, value); }
CURLcode ccurl_easy_set_string(CURL *easy, CURLoption option, const char *value) { return curl.easy_setopt(easy, option, value); }
CURLcode ccurl_easy_set_pointer(CURL *easy, CURLoption option, void *value) { return curl.easy_setopt(easy, option, value); }

CURLcode ccurl_easy_set_blob(CURL *easy, CURLoption option, const void *bytes, size_t count) {
    struct curl_blob blob = { .data = (void *)bytes, .len = count, .flags = CURL_BLOB_COPY };
    return curl.easy_setopt(easy, option, &blob);
}

CURLcode ccurl_easy_set_list(CURL *easy, CURLoption option, const struct curl_slist *list) {
    return curl.easy_setopt(easy, option, list);
}

CURLcode ccurl_easy_set_body_receiver(CURL *easy, ccurl_receiver receiver, void *context) {
    CURLcode code = curl.easy_setopt(easy, CURLOPT_WRITEFUNCTION, receiver);
    return code != CURLE_OK ? code : curl.easy_setopt(easy, CURLOPT_WRITEDATA, context);
}

CURLcode ccurl_easy_set_header_receiver(CURL *easy, ccurl_receiver receiver, void *context) {
    CURLcode code = curl.easy_setopt(easy, CURLOPT_HEADERFUNCTION, receiver);
    return code != CURLE_OK ? code : curl.easy_setopt(easy, CURLOPT_HEADERDATA, context);
}

CURLcode ccurl_easy_set_body_sender(CURL *easy, ccurl_receiver sender, void *context) {
    CURLcode code = curl.easy_setopt(easy, CURLOPT_READFUNCTION, sender);
    return code != CURLE_OK ? code : curl.easy_setopt(easy, CURLOPT_READDATA, context);
}

CURLcode ccurl_easy_send(CURL *easy, const void *bytes, size_t size, size_t *count) {
    return curl.easy_send(easy, bytes, size, count);
}

CURLcode ccurl_easy_receive(CURL *easy, void *space, size_t size, size_t *count) {
    return curl.easy_recv(easy, space, size, count);
}

curl_socket_t ccurl_easy_get_socket(CURL *easy) {
    curl_socket_t socket = CURL_SOCKET_BAD;
    return curl.easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &socket) == CURLE_OK ? socket : CURL_SOCKET_BAD;
}

CURLcode ccurl_easy_continue(CURL *easy) { return curl.easy_pause(easy, CURLPAUSE_CONT); }

CURLcode ccurl_easy_set_request_gate(CURL *easy, ccurl_gate gate, void *context) {
    CURLcode code = curl.easy_setopt(easy, CURLOPT_PREREQFUNCTION, gate);
    return code != CURLE_OK ? code : curl.easy_setopt(easy, CURLOPT_PREREQDATA, context);
}

CURLcode ccurl_easy_set_scheme(CURL *easy, bool https) {
#if LIBCURL_VERSION_NUM >= 0x075500
    const char *name = https ? "https" : "http";
    CURLcode code = curl.easy_setopt(easy, CURLOPT_PROTOCOLS_STR, name);
    if (code == CURLE_OK) code = curl.easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, name);
    if (code != CURLE_UNKNOWN_OPTION) return code;
#endif
    /* The loaded libcurl may be older than the header and support only the numbers. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    long number = https ? CURLPROTO_HTTPS : CURLPROTO_HTTP;
    CURLcode old = curl.easy_setopt(easy, CURLOPT_PROTOCOLS, number);
    return old != CURLE_OK ? old : curl.easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS, number);
#pragma GCC diagnostic pop
}

static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    (void)context, (void)purpose;
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

CURLcode ccurl_easy_set_close_on_exec(CURL *easy) {
    return curl.easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
}

CURLcode ccurl_easy_set_quick_exit(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075700
    return curl.easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#else
    (void)easy;
    return CURLE_UNKNOWN_OPTION;
#endif
}

long ccurl_easy_get_received(CURL *easy) {
    curl_off_t count = 0;
    return curl.easy_getinfo(easy, CURLINFO_SIZE_DOWNLOAD_T, &count) == CURLE_OK ? (long)count : 0;
}

long ccurl_easy_get_long(CURL *easy, CURLINFO info) {
    long value = 0;
    return curl.easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

const char *ccurl_easy_get_certificate(CURL *easy) {
    struct curl_certinfo *chain = NULL;
    if (curl.easy_getinfo(easy, CURLINFO_CERTINFO, &chain) != CURLE_OK || chain == NULL || chain->num_of_certs < 1) return NULL;
    /* The server's own certificate is first in the chain; one of its lines is the PEM text. */
    for (const struct curl_slist *line = chain->certinfo[0]; line != NULL; line = line->next)
        if (strncmp(line->data, "Cert:", 5) == 0) return line->data + 5;
    return NULL;
}

struct curl_slist *ccurl_headers_append(struct curl_slist *list, const char *line) { return curl.slist_append(list, line); }

void ccurl_headers_wipe_and_free(struct curl_slist *list) {
    for (struct curl_slist *item = list; item != NULL; item = item->next) explicit_bzero(item->data, strlen(item->data));
    curl.slist_free_all(list);
}

CURLM *ccurl_multi_new(void) { return curl.multi_init(); }
CURLMcode ccurl_multi_free(CURLM *multi) { return curl.multi_cleanup(multi); }
CURLMcode ccurl_multi_add(CURLM *multi, CURL *easy) { return curl.multi_add_handle(multi, easy); }
CURLMcode ccurl_multi_remove(CURLM *multi, CURL *easy) { return curl.multi_remove_handle(multi, easy); }

CURLMcode ccurl_multi_perform(CURLM *multi) {
    int running = 0;
    return curl.multi_perform(multi, &running);
}

CURLMcode ccurl_multi_wait(CURLM *multi, struct curl_waitfd *others, unsigned int count, int milliseconds) {
    return curl.multi_poll(multi, others, count, milliseconds, NULL);
}
CURLMcode ccurl_multi_wake(CURLM *multi) { return curl.multi_wakeup(multi); }
CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) { return curl.multi_setopt(multi, option, value); }

bool ccurl_multi_next_done(CURLM *multi, CURL **easy, CURLcode *result) {
    int left = 0;
    for (CURLMsg *message; (message = curl.multi_info_read(multi, &left)) != NULL;) {
        if (message->msg != CURLMSG_DONE) continue;
        *easy = message->easy_handle;
        *result = message->data.result;
        return true;
    }
    return false;
}
