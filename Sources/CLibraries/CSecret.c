#include "CSecret.h"
#include "libsecret.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MEMBER(name, result, arguments) result (*name) arguments;
static struct { LIBSECRET_FUNCTIONS(MEMBER) } lib;
#undef MEMBER

static pthread_once_t once = PTHREAD_ONCE_INIT;
static clibrary_failure failure;
static bool is_ready;

static const SecretSchema schema = { .name = "org.yett.Store", .attributes = { { "store", 0 } } };

static void load(void) {
    /* Never unloaded, because GLib cannot be unloaded. */
    void *library = clibrary_open("libsecret-1.so.0", &failure);
    if (library == NULL) return;
    is_ready = true;
#define FIND(name, result, arguments) is_ready = clibrary_find(library, #name, &lib.name) && is_ready;
    LIBSECRET_FUNCTIONS(FIND)
#undef FIND
    failure = (clibrary_failure){.reason = "libsecret-1.so.0 is too old", .is_missing = true};
}

const clibrary_failure *csecret_load(void) {
    pthread_once(&once, load);
    return is_ready ? NULL : &failure;
}

struct csecret_call {
    void *cancellable;
    void *bus;
    char *message;
};

csecret_call *csecret_call_new(void) {
    csecret_call *call = calloc(1, sizeof *call);
    if (call != NULL) call->cancellable = lib.g_cancellable_new();
    return call;
}

void csecret_call_stop(csecret_call *call) { lib.g_cancellable_cancel(call->cancellable); }

void csecret_call_free(csecret_call *call) {
    lib.g_object_unref(call->cancellable);
    if (call->bus != NULL) lib.g_object_unref(call->bus);
    free(call->message);
    free(call);
}

const char *csecret_call_message(const csecret_call *call) { return call->message; }

/* Returns the status for an error, and frees the error. */
static csecret_status status_of(csecret_call *call, GError *error) {
    if (error == NULL) return CSECRET_FAILED;
    lib.g_dbus_error_strip_remote_error(error);
    const char *domain = lib.g_quark_to_string(error->domain);
    csecret_status status = CSECRET_FAILED;
    if (domain != NULL && strcmp(domain, "g-io-error-quark") == 0 && error->code == G_IO_ERROR_CANCELLED) {
        status = CSECRET_STOPPED;
    } else if (domain != NULL && strcmp(domain, "secret-error") == 0 && error->code == SECRET_ERROR_IS_LOCKED) {
        status = CSECRET_LOCKED;
    } else if (domain != NULL && strcmp(domain, "g-dbus-error-quark") == 0 && error->code == G_DBUS_ERROR_SERVICE_UNKNOWN) {
        status = CSECRET_NO_SERVICE;
    } else {
        call->message = strdup(error->message);
    }
    lib.g_error_free(error);
    return status;
}

static void *connect_service(csecret_call *call, csecret_status *status) {
    GError *error = NULL;
    call->bus = lib.g_bus_get_sync(G_BUS_TYPE_SESSION, call->cancellable, &error);
    if (call->bus == NULL) {
        *status = status_of(call, error);
        return NULL;
    }
    /* Without this, GLib exits the process when the session bus ends. */
    lib.g_dbus_connection_set_exit_on_close(call->bus, false);
    void *service = lib.secret_service_get_sync(SECRET_SERVICE_NONE, call->cancellable, &error);
    if (service == NULL) *status = status_of(call, error);
    return service;
}

static csecret_status default_collection(csecret_call *call, void *service) {
    GError *error = NULL;
    void *collection = lib.secret_collection_for_alias_sync(service, "default", SECRET_COLLECTION_NONE, call->cancellable, &error);
    if (collection == NULL) return error == NULL ? CSECRET_NO_COLLECTION : status_of(call, error);
    csecret_status status = lib.secret_collection_get_locked(collection) ? CSECRET_LOCKED : CSECRET_DONE;
    lib.g_object_unref(collection);
    return status;
}

/* Returns the search attributes of a store's key; they point to `store`. */
static void *attributes_of(const char *store) {
    void *table = lib.g_hash_table_new(lib.g_str_hash, lib.g_str_equal);
    lib.g_hash_table_insert(table, "store", (void *)store);
    return table;
}

csecret_status csecret_probe(csecret_call *call) {
    csecret_status status = CSECRET_DONE;
    void *service = connect_service(call, &status);
    if (service == NULL) return status;
    status = default_collection(call, service);
    lib.g_object_unref(service);
    return status;
}

/* Finds the item of a store and loads its secret. Returns a reference to it, or NULL and the status. */
static void *find_item(csecret_call *call, void *service, const char *store, csecret_status *status) {
    GError *error = NULL;
    void *attributes = attributes_of(store), *found = NULL;
    /* Without SECRET_SEARCH_UNLOCK, the keyring does not prompt the user. */
    GList *items = lib.secret_service_search_sync(
        service, &schema, attributes, SECRET_SEARCH_ALL | SECRET_SEARCH_LOAD_SECRETS, call->cancellable, &error);
    lib.g_hash_table_unref(attributes);
    *status = CSECRET_ABSENT;
    if (error != NULL) *status = status_of(call, error);
    for (GList *item = items; item != NULL; item = item->next) {
        if (found == NULL && !lib.secret_item_get_locked(item->data)) {
            found = item->data;
        } else {
            if (lib.secret_item_get_locked(item->data)) *status = CSECRET_LOCKED;
            lib.g_object_unref(item->data);
        }
    }
    lib.g_list_free(items);
    if (found != NULL) *status = CSECRET_DONE;
    /* A search may not report the items of a locked collection. */
    if (*status == CSECRET_ABSENT && default_collection(call, service) == CSECRET_LOCKED) *status = CSECRET_LOCKED;
    return found;
}

csecret_status csecret_look_up(csecret_call *call, const char *store, uint8_t *key, size_t *count) {
    csecret_status status = CSECRET_DONE;
    void *service = connect_service(call, &status);
    if (service == NULL) return status;
    void *item = find_item(call, service, store, &status);
    if (item != NULL) {
        void *value = lib.secret_item_get_secret(item);
        status = value != NULL ? CSECRET_DONE : CSECRET_FAILED;
        if (value != NULL) {
            const char *bytes = lib.secret_value_get(value, count);
            if (*count == CSECRET_KEY_LENGTH) memcpy(key, bytes, CSECRET_KEY_LENGTH);
            lib.secret_value_unref(value);
        }
        lib.g_object_unref(item);
    }
    lib.g_object_unref(service);
    return status;
}

csecret_status csecret_keep(csecret_call *call, const char *store, const uint8_t *key) {
    csecret_status status = CSECRET_DONE;
    void *service = connect_service(call, &status);
    if (service == NULL) return status;
    /* Storing into a locked collection would prompt the user. */
    status = default_collection(call, service);
    if (status == CSECRET_DONE) {
        GError *error = NULL;
        void *attributes = attributes_of(store);
        void *value = lib.secret_value_new((const char *)key, CSECRET_KEY_LENGTH, "text/plain");
        if (!lib.secret_service_store_sync(
                service, &schema, attributes, "default", "Key of yett's sessions", value, call->cancellable, &error))
            status = status_of(call, error);
        lib.secret_value_unref(value);
        lib.g_hash_table_unref(attributes);
    }
    lib.g_object_unref(service);
    return status;
}

csecret_status csecret_forget(csecret_call *call, const char *store) {
    csecret_status status = CSECRET_DONE;
    void *service = connect_service(call, &status);
    if (service == NULL) return status;
    void *item = find_item(call, service, store, &status);
    if (item != NULL) {
        GError *error = NULL;
        if (!lib.secret_item_delete_sync(item, call->cancellable, &error)) status = status_of(call, error);
        lib.g_object_unref(item);
    }
    lib.g_object_unref(service);
    return status;
}
