#include "Confinement.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The paths that a confined command cannot reach. */

/* Returns whether a path may be left out after an error: nothing is there, or this user cannot reach it. */
static int is_absent(void) { return errno == ENOENT || errno == ENOTDIR || errno == EACCES; }

/* Requires a success for what is there: a program that ends now removes its socket, and the folder of it, between any two calls here. A
   cover that the system refuses is no reason to go on. */
static void require_if_there(int succeeded, const char *path) {
    struct stat status;
    int error = errno, is_gone = !succeeded && lstat(path, &status) != 0 && is_absent();
    errno = error;
    confinement_require(succeeded || is_gone, CPROCESS_HIDING);
}

/* The paths that are covered, locked, or pinned alone, in the order of the words. */
enum action { PIN, LOCK, COVER };

static struct place {
    char *path;
    enum action action;
} *places;
static int place_count;

static void add_place(char *path, enum action action) {
    places = realloc(places, (size_t)(place_count + 1) * sizeof *places);
    confinement_require(places != NULL && path != NULL, CPROCESS_HIDING);
    places[place_count++] = (struct place){ path, action };
}

static void pin_way(char *path, int count);

/* Pins the way that a link leads. */
static void pin_target(const char *path) {
    char target[PATH_MAX] = { 0 }, whole[2 * PATH_MAX];
    if (readlink(path, target, sizeof target - 1) <= 0) return require_if_there(0, path);
    int folder = target[0] == '/' ? 0 : (int)(strrchr(path, '/') + 1 - path);
    snprintf(whole, sizeof whole, "%.*s%s", folder, path, target);
    pin_way(whole, 0);
}

/* Returns whether this user can rename what is at a path: by the right to write in the folder that it is in. */
static int can_rename(const char *path) {
    char folder[PATH_MAX];
    const char *end = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", (int)(end == path ? 1 : end - path), path);
    return faccessat(AT_FDCWD, folder, W_OK, AT_EACCESS) == 0;
}

/* Makes a folder or a link a mount point, which can neither be renamed nor removed. One that this user can neither is left as it is. */
static void pin(const char *path) {
    struct statx status;
    if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &status) != 0) return require_if_there(0, path);
    if ((status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0) return;
    int is_needed = status.stx_uid == geteuid() || can_rename(path);
    if (!S_ISLNK(status.stx_mode))
        return require_if_there(!is_needed || mount(path, path, NULL, MS_BIND | MS_REC, NULL) == 0, path);
    if (is_needed) {
        /* mount(2) follows links. */
        int link = (int)syscall(SYS_open_tree, AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW);
        require_if_there(link >= 0 && syscall(SYS_move_mount, link, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH) == 0, path);
        if (link >= 0) close(link);
    }
    pin_target(path);
}

/* Pins what is above a path, and a link at its end: another one in its place would have no covers. The ways of the first places are pinned
   already. */
static void pin_way(char *path, int count) {
    struct stat status;
    for (char *end = strchr(path + 1, '/'); end != NULL; end = strchr(end + 1, '/')) {
        size_t length = (size_t)(end - path);
        int is_pinned = end[-1] == '/';
        for (int other = 0; other < count && !is_pinned; other++) is_pinned = strncmp(places[other].path, path, length + 1) == 0;
        *end = 0;
        if (!is_pinned) pin(path);
        *end = '/';
    }
    if (lstat(path, &status) == 0 && S_ISLNK(status.st_mode)) pin(path);
}

/* Covers a folder with an empty one, and anything else with an empty file. */
static void cover(const char *path) {
    struct stat status;
    if (stat(path, &status) != 0) return require_if_there(0, path);
    /* A folder in which all users may create files stays one: the command may be another user's. */
    const char *options = (status.st_mode & S_ISVTX) != 0 ? "mode=1777,size=64m" : "mode=0700,size=16m";
    int covered = S_ISDIR(status.st_mode) ? mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV, options)
                                          : mount("/dev/null", path, NULL, MS_BIND, NULL);
    require_if_there(covered == 0, path);
}

/* Returns the device of the terminal that a standard stream has; NULL without one. */
static const char *own_terminal(void) {
    for (int stream = 0; stream < 3; stream++) {
        const char *path = ttyname(stream);
        if (path != NULL) return path;
    }
    return NULL;
}

void confinement_cover_terminals(void) {
    struct stat status;
    /* Programs find the name of their terminal there, as in a container. */
    const char *own = own_terminal();
    if (own != NULL) mount(own, "/dev/console", NULL, MS_BIND, NULL);
    if (stat("/dev/pts", &status) != 0) return require_if_there(0, "/dev/pts");
    int covered = mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=0620");
    confinement_require(covered == 0, CPROCESS_HIDING);
}

/* Makes a file or a folder one that the command can read and not change; in a folder, also after its files were replaced outside. Other file
   systems in it stay as they are. */
static void lock(const char *path) {
    struct statvfs status;
    if (statvfs(path, &status) != 0 || mount(path, path, NULL, MS_BIND | MS_REC, NULL) != 0) return require_if_there(0, path);
    /* Another namespace's restrictions stay. */
    unsigned long kept = (status.f_flag & ST_NOSUID ? MS_NOSUID : 0) | (status.f_flag & ST_NODEV ? MS_NODEV : 0)
        | (status.f_flag & ST_NOEXEC ? MS_NOEXEC : 0) | (status.f_flag & ST_NOATIME ? MS_NOATIME : 0)
        | (status.f_flag & ST_NODIRATIME ? MS_NODIRATIME : 0) | (status.f_flag & ST_RELATIME ? MS_RELATIME : 0);
    confinement_require(mount(NULL, path, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | kept, NULL) == 0, CPROCESS_HIDING);
}

/* A file system as it is seen at one place (proc_pid_mountinfo(5)). */
struct view {
    unsigned long id;
    char device[32], type[32];
    /* The folder of the file system that is seen, and where it is seen. */
    char *root, *point;
};

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

/* Reads the table of mounts. */
static struct view *read_views(int *count) {
    FILE *table = fopen("/proc/self/mountinfo", "re");
    struct view *views = NULL;
    char *line = NULL;
    size_t size = 0;
    confinement_require(table != NULL, CPROCESS_HIDING);
    for (*count = 0; getline(&line, &size, table) > 0; ++*count) {
        struct view view = { 0 };
        /* Optional fields are in the middle. */
        const char *end = strstr(line, " - ");
        int has_all = sscanf(line, "%lu %*u %31s %ms %ms", &view.id, view.device, &view.root, &view.point) == 4 && end != NULL
            && sscanf(end, " - %31s", view.type) == 1;
        views = realloc(views, (size_t)(*count + 1) * sizeof *views);
        if (!has_all) errno = EPROTO;
        confinement_require(has_all && views != NULL, CPROCESS_HIDING);
        unescape(view.root);
        unescape(view.point);
        views[*count] = view;
    }
    free(line);
    fclose(table);
    return views;
}

/* Returns what follows a folder in a path, with a slash before it; empty for the folder itself, and NULL if the path is not in it. */
static const char *rest(const char *path, const char *folder) {
    size_t length = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0) ? path + length : NULL;
}

/* Adds the other places at which what is covered or locked is seen, or a part of it, such as the whole system in a container that has it at
   /run/host. The terminals and processes there are covered too. */
static void add_views(void) {
    int count = 0;
    struct view *views = read_views(&count);
    for (int at = 0; at < count; at++) {
        int has_terminals = strcmp(views[at].type, "devpts") == 0 && strcmp(views[at].point, "/dev/pts") != 0;
        int has_processes = strcmp(views[at].type, "proc") == 0 && rest(views[at].point, "/proc") == NULL;
        if (has_terminals || has_processes) add_place(views[at].point, COVER);
    }
    for (int index = 0, own_count = place_count; index < own_count; index++) {
        struct place own = places[index];
        struct statx status, other_status;
        char inner[2 * PATH_MAX], other[2 * PATH_MAX];
        struct view *view = NULL;
        if (own.action == PIN || statx(AT_FDCWD, own.path, 0, STATX_BASIC_STATS | STATX_MNT_ID, &status) != 0) continue;
        /* The last one is on top of those before it. */
        for (int at = 0; at < count; at++) {
            int is_it = (status.stx_mask & STATX_MNT_ID) != 0
                ? views[at].id == status.stx_mnt_id
                : rest(own.path, views[at].point) != NULL && (view == NULL || strlen(views[at].point) >= strlen(view->point));
            if (is_it) view = &views[at];
        }
        const char *end = view != NULL ? rest(own.path, view->point) : NULL;
        if (end == NULL) continue;
        snprintf(inner, sizeof inner, "%s%s", strcmp(view->root, "/") == 0 ? "" : view->root, end);
        for (int at = 0; at < count; at++) {
            if (&views[at] == view || strcmp(views[at].device, view->device) != 0) continue;
            const char *in_view = rest(inner, views[at].root), *point = strcmp(views[at].point, "/") == 0 ? "" : views[at].point;
            if (in_view == NULL && rest(views[at].root, inner) == NULL) continue;
            snprintf(other, sizeof other, "%s%s", point, in_view != NULL ? in_view : "");
            if (strcmp(other, own.path) == 0 || statx(AT_FDCWD, other, 0, STATX_BASIC_STATS | STATX_MNT_ID, &other_status) != 0) continue;
            /* Another mount may be on top of this one. */
            int is_same = other_status.stx_ino == status.stx_ino && other_status.stx_dev_major == status.stx_dev_major
                && other_status.stx_dev_minor == status.stx_dev_minor;
            int is_seen = (other_status.stx_mask & STATX_MNT_ID) == 0 || other_status.stx_mnt_id == views[at].id;
            if (in_view != NULL ? is_same : is_seen) add_place(strdup(other), own.action);
        }
    }
}

void confinement_cover(char **words, int count) {
    char *here = getcwd(NULL, 0);
    for (int index = 0; index < count; index++) {
        int is_cover = strncmp(words[index], "hide=", 5) == 0;
        if (!is_cover && strncmp(words[index], "lock=", 5) != 0) continue;
        char *path = words[index] + 5, *real = realpath(path, NULL);
        confinement_require(real != NULL || is_absent(), CPROCESS_HIDING);
        /* The way to what is not there, or not reached, leads nowhere else either. */
        add_place(path, PIN);
        if (real != NULL) add_place(real, is_cover ? COVER : LOCK);
    }
    /* Before the first mount of this function, which the table would have, too. */
    add_views();
    for (int index = 0; index < place_count; index++) pin_way(places[index].path, index);
    /* Before the covers, which may be on files in them. */
    for (int index = 0; index < place_count; index++)
        if (places[index].action == LOCK) lock(places[index].path);
    for (int index = 0; index < place_count; index++)
        if (places[index].action == COVER) cover(places[index].path);
    /* The working directory is still the folder below the covers. Another user may have no right to enter it by its path. */
    if (here == NULL || (chdir(here) != 0 && errno != EACCES)) confinement_require(chdir("/") == 0, CPROCESS_HIDING);
}
