#include "Confinement.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The places at which one folder is seen, by bind mounts and in containers that have the whole system at /run/host. */

/* Replaces `\040` and the like by the characters that they stand for. */
static void unescape(char *text) {
    char *to = text;
    for (; *text != 0; text++) {
        if (text[0] == '\\' && text[1] >= '0' && text[1] <= '3' && text[2] != 0 && text[3] != 0) {
            *to++ = (char)((text[1] - '0') * 64 + (text[2] - '0') * 8 + text[3] - '0');
            text += 3;
        } else {
            *to++ = *text;
        }
    }
    *to = 0;
}

struct view *confinement_read_views(void) {
    FILE *table = fopen("/proc/self/mountinfo", "re");
    struct view *first = NULL, **next = &first;
    char *line = NULL;
    size_t size = 0;
    confinement_require(table != NULL, CPROCESS_HIDING);
    while (getline(&line, &size, table) > 0) {
        struct view *view = calloc(1, sizeof *view);
        confinement_require(view != NULL, CPROCESS_HIDING);
        /* Optional fields are in the middle. */
        const char *end = strstr(line, " - ");
        int has_all = sscanf(line, "%lu %*u %31s %ms %ms", &view->id, view->device, &view->root, &view->point) == 4 && end != NULL
            && sscanf(end, " - %31s", view->type) == 1;
        if (!has_all) errno = EPROTO;
        confinement_require(has_all, CPROCESS_HIDING);
        unescape(view->root);
        unescape(view->point);
        *next = view;
        next = &view->next;
    }
    free(line);
    fclose(table);
    return first;
}

/* Returns what follows a folder in a path, with a slash before it; empty for the folder itself, and NULL if the path is not in it. */
static const char *rest(const char *path, const char *folder) {
    size_t length = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0) ? path + length : NULL;
}

int confinement_shows_others(const struct view *view) {
    return (strcmp(view->type, "devpts") == 0 && strcmp(view->point, "/dev/pts") != 0)
        || (strcmp(view->type, "proc") == 0 && rest(view->point, "/proc") == NULL);
}

/* Returns the view in which a path is; NULL if the table has none. A kernel without numbers of mounts leaves it to the longest place, and of two at
   one place to the last, which is on top. */
static const struct view *view_of(const char *path, const struct statx *status, const struct view *views) {
    const struct view *found = NULL;
    for (const struct view *view = views; view != NULL; view = view->next) {
        int is_it = (status->stx_mask & STATX_MNT_ID) != 0
            ? view->id == status->stx_mnt_id
            : rest(path, view->point) != NULL && (found == NULL || strlen(view->point) >= strlen(found->point));
        if (is_it) found = view;
    }
    return found;
}

int confinement_locate(struct located *found, const char *path, const struct view *views) {
    if (statx(AT_FDCWD, path, 0, STATX_BASIC_STATS | STATX_MNT_ID, &found->status) != 0) return 0;
    found->path = path;
    found->view = view_of(path, &found->status, views);
    const char *end = found->view != NULL ? rest(path, found->view->point) : NULL;
    if (end == NULL) return 0;
    snprintf(found->inner, sizeof found->inner, "%s%s", strcmp(found->view->root, "/") == 0 ? "" : found->view->root, end);
    return 1;
}

char *confinement_place_in_view(const struct view *view, const struct located *own) {
    struct statx status;
    char place[2 * PATH_MAX];
    if (view == own->view || strcmp(view->device, own->view->device) != 0) return NULL;
    /* The view may be of a folder above it, or of one in it. */
    const char *in_view = rest(own->inner, view->root);
    if (in_view == NULL && rest(view->root, own->inner) == NULL) return NULL;
    snprintf(place, sizeof place, "%s%s", strcmp(view->point, "/") == 0 ? "" : view->point, in_view != NULL ? in_view : "");
    if (strcmp(place, own->path) == 0 || statx(AT_FDCWD, place, 0, STATX_BASIC_STATS | STATX_MNT_ID, &status) != 0) return NULL;
    /* Another mount may be on top of this view. */
    int is_same = status.stx_ino == own->status.stx_ino && status.stx_dev_major == own->status.stx_dev_major
        && status.stx_dev_minor == own->status.stx_dev_minor;
    int is_seen = (status.stx_mask & STATX_MNT_ID) == 0 || status.stx_mnt_id == view->id;
    if (!(in_view != NULL ? is_same : is_seen)) return NULL;
    char *copy = strdup(place);
    confinement_require(copy != NULL, CPROCESS_HIDING);
    return copy;
}
