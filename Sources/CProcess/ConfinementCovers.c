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

/* The folders that were pinned, by their real paths. */
static char **pinned;
static int pinned_count;

static void add_pinned(const char *path) {
    char *real = realpath(path, NULL);
    if (real == NULL) return require_if_there(0, path);
    pinned = realloc(pinned, (size_t)(pinned_count + 1) * sizeof *pinned);
    confinement_require(pinned != NULL, CPROCESS_HIDING);
    pinned[pinned_count++] = real;
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

/* Returns whether this user can rename what is at a path: by the right to write in the folder that it is in, or to give itself that right. */
static int can_rename(const char *path) {
    char folder[PATH_MAX];
    const char *end = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", (int)(end == path ? 1 : end - path), path);
    struct stat status;
    return faccessat(AT_FDCWD, folder, W_OK, AT_EACCESS) == 0 || (stat(folder, &status) == 0 && status.st_uid == geteuid());
}

/* Makes a folder or a link a mount point, which can neither be renamed nor removed. One that this user can neither is left as it is. */
static void pin(const char *path) {
    struct statx status;
    if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &status) != 0) return require_if_there(0, path);
    if ((status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0) return;
    int is_needed = status.stx_uid == geteuid() || can_rename(path);
    if (!S_ISLNK(status.stx_mode)) {
        if (!is_needed) return;
        if (mount(path, path, NULL, MS_BIND | MS_REC, NULL) != 0) return require_if_there(0, path);
        return add_pinned(path);
    }
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

/* Makes what is mounted at a path read-only. */
static void forbid_writing(const char *path) {
    struct statvfs status;
    if (statvfs(path, &status) != 0) return require_if_there(0, path);
    /* Another namespace's restrictions stay. */
    unsigned long kept = (status.f_flag & ST_NOSUID ? MS_NOSUID : 0) | (status.f_flag & ST_NODEV ? MS_NODEV : 0)
        | (status.f_flag & ST_NOEXEC ? MS_NOEXEC : 0) | (status.f_flag & ST_NOATIME ? MS_NOATIME : 0)
        | (status.f_flag & ST_NODIRATIME ? MS_NODIRATIME : 0) | (status.f_flag & ST_RELATIME ? MS_RELATIME : 0);
    confinement_require(mount(NULL, path, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | kept, NULL) == 0, CPROCESS_HIDING);
}

/* Makes a file or a folder one that the command can read and not change; in a folder, also after its files were replaced outside, and in the
   folders in it that are pinned. Other file systems in it stay as they are. */
static void lock(const char *path) {
    if (mount(path, path, NULL, MS_BIND | MS_REC, NULL) != 0) return require_if_there(0, path);
    forbid_writing(path);
    size_t length = strlen(path);
    for (int index = 0; index < pinned_count; index++)
        if (strncmp(pinned[index], path, length) == 0 && pinned[index][length] == '/') forbid_writing(pinned[index]);
}

/* Shows a folder again in the cover of the one that it is in, where the command can only read it.

   Parameter folder: a descriptor of it from before the cover. */
static void show(const char *path, int folder) {
    char source[64];
    snprintf(source, sizeof source, "/proc/self/fd/%d", folder);
    int is_shown = mkdir(path, 0755) == 0 && mount(source, path, NULL, MS_BIND | MS_REC, NULL) == 0;
    confinement_require(is_shown, CPROCESS_HIDING);
    close(folder);
    forbid_writing(path);
}

void confinement_cover(char **words, int count) {
    char *here = getcwd(NULL, 0);
    const char *shown = NULL;
    for (int index = 0; index < count; index++) {
        if (strncmp(words[index], "show=", 5) == 0) shown = words[index] + 5;
        int is_cover = strncmp(words[index], "hide=", 5) == 0;
        if (!is_cover && strncmp(words[index], "lock=", 5) != 0) continue;
        char *path = words[index] + 5, *real = realpath(path, NULL);
        confinement_require(real != NULL || is_absent(), CPROCESS_HIDING);
        /* The way to what is not there, or not reached, leads nowhere else either. */
        add_place(path, PIN);
        if (real != NULL) add_place(real, is_cover ? COVER : LOCK);
    }
    int folder = shown == NULL ? -1 : open(shown, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    confinement_require(shown == NULL || folder >= 0, CPROCESS_HIDING);
    /* Before the first mount of this function, which the table would have, too. */
    struct view *views = confinement_read_views();
    for (int index = 0, own_count = place_count; index < own_count; index++) {
        enum action action = places[index].action;
        struct located own;
        if (action == PIN || views == NULL || !confinement_locate(&own, places[index].path, views)) continue;
        for (struct view *view = views; view != NULL; view = view->next) {
            char *other = confinement_place_in_view(view, &own);
            if (other != NULL) add_place(other, action);
        }
    }
    for (struct view *view = views; view != NULL; view = view->next)
        if (confinement_shows_others(view)) add_place(view->point, COVER);
    for (int index = 0; index < place_count; index++) pin_way(places[index].path, index);
    /* Before the covers, which may be on files in them. */
    for (int index = 0; index < place_count; index++)
        if (places[index].action == LOCK) lock(places[index].path);
    for (int index = 0; index < place_count; index++)
        if (places[index].action == COVER) cover(places[index].path);
    if (shown != NULL) show(shown, folder);
    /* The working directory is still the folder below the covers. Another user may have no right to enter it by its path. */
    if (here == NULL || (chdir(here) != 0 && errno != EACCES)) confinement_require(chdir("/") == 0, CPROCESS_HIDING);
}
