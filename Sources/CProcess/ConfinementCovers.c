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

static void pin_way(char **paths, int index);

/* Pins the way that a link leads. */
static void pin_target(const char *path) {
    char target[PATH_MAX] = { 0 }, whole[2 * PATH_MAX];
    confinement_require(readlink(path, target, sizeof target - 1) > 0, CPROCESS_HIDING);
    int folder = target[0] == '/' ? 0 : (int)(strrchr(path, '/') + 1 - path);
    snprintf(whole, sizeof whole, "%.*s%s", folder, path, target);
    char *ways[] = { whole };
    pin_way(ways, 0);
}

/* Makes a folder or a link a mount point, which can neither be renamed nor removed. */
static void pin(const char *path) {
    struct statx status;
    confinement_require(statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &status) == 0, CPROCESS_HIDING);
    if ((status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0) return;
    /* Those of others stay where they are. */
    int is_own = status.stx_uid == geteuid();
    if (!S_ISLNK(status.stx_mode))
        return confinement_require(!is_own || mount(path, path, NULL, MS_BIND | MS_REC, NULL) == 0, CPROCESS_HIDING);
    if (is_own) {
        /* mount(2) follows links. */
        int link = (int)syscall(SYS_open_tree, AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW);
        confinement_require(
            link >= 0 && syscall(SYS_move_mount, link, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH) == 0, CPROCESS_HIDING);
        close(link);
    }
    pin_target(path);
}

/* Pins what is above a path, and a link at its end: another one in its place would have no covers. */
static void pin_way(char **paths, int index) {
    char *path = paths[index];
    struct stat status;
    for (char *end = strchr(path + 1, '/'); end != NULL; end = strchr(end + 1, '/')) {
        size_t length = (size_t)(end - path);
        int is_pinned = end[-1] == '/';
        for (int other = 0; other < index && !is_pinned; other++)
            is_pinned = paths[other] != NULL && strncmp(paths[other], path, length + 1) == 0;
        *end = 0;
        if (!is_pinned) pin(path);
        *end = '/';
    }
    if (lstat(path, &status) == 0 && S_ISLNK(status.st_mode)) pin(path);
}

/* Covers a folder with an empty one, and anything else with an empty file. */
static void cover(const char *path) {
    struct stat status;
    if (stat(path, &status) != 0) return confinement_require(is_absent(), CPROCESS_HIDING);
    /* A folder in which all users may create files stays one: the command may be another user's. */
    const char *options = (status.st_mode & S_ISVTX) != 0 ? "mode=1777,size=64m" : "mode=0700,size=16m";
    int covered = S_ISDIR(status.st_mode) ? mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV, options)
                                          : mount("/dev/null", path, NULL, MS_BIND, NULL);
    confinement_require(covered == 0, CPROCESS_HIDING);
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
    if (stat("/dev/pts", &status) != 0) return confinement_require(is_absent(), CPROCESS_HIDING);
    int covered = mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=0620");
    confinement_require(covered == 0, CPROCESS_HIDING);
}

/* Makes a file or a folder one that the command can read and not change; in a folder, also after its files were replaced outside. Other file
   systems in it stay as they are. */
static void lock(const char *path) {
    struct statvfs status;
    confinement_require(statvfs(path, &status) == 0 && mount(path, path, NULL, MS_BIND | MS_REC, NULL) == 0, CPROCESS_HIDING);
    /* Another namespace's restrictions stay. */
    unsigned long kept = (status.f_flag & ST_NOSUID ? MS_NOSUID : 0) | (status.f_flag & ST_NODEV ? MS_NODEV : 0)
        | (status.f_flag & ST_NOEXEC ? MS_NOEXEC : 0) | (status.f_flag & ST_NOATIME ? MS_NOATIME : 0)
        | (status.f_flag & ST_NODIRATIME ? MS_NODIRATIME : 0) | (status.f_flag & ST_RELATIME ? MS_RELATIME : 0);
    confinement_require(mount(NULL, path, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | kept, NULL) == 0, CPROCESS_HIDING);
}

void confinement_cover(char **words, int count) {
    char *here = getcwd(NULL, 0), **paths = calloc((size_t)count * 2, sizeof *paths);
    confinement_require(paths != NULL, CPROCESS_HIDING);
    for (int index = 0; index < count; index++) {
        if (strncmp(words[index], "hide=", 5) != 0 && strncmp(words[index], "lock=", 5) != 0) continue;
        char *path = words[index] + 5, *real = realpath(path, NULL);
        if (real == NULL) {
            confinement_require(is_absent(), CPROCESS_HIDING);
            continue;
        }
        paths[2 * index] = path;
        pin_way(paths, 2 * index);
        paths[2 * index + 1] = real;
        pin_way(paths, 2 * index + 1);
    }
    /* Before the covers, which may be on files in them. */
    for (int index = 0; index < count; index++)
        if (paths[2 * index + 1] != NULL && words[index][0] == 'l') lock(paths[2 * index + 1]);
    for (int index = 0; index < count; index++)
        if (paths[2 * index + 1] != NULL && words[index][0] == 'h') cover(paths[2 * index + 1]);
    /* The working directory is still the folder below the covers. Another user may have no right to enter it by its path. */
    if (here == NULL || (chdir(here) != 0 && errno != EACCES)) confinement_require(chdir("/") == 0, CPROCESS_HIDING);
}
