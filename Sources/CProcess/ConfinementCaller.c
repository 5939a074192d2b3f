#include "CProcess.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* The side of the process that asks for a confined command. */

int cprocess_receive_report(int from, struct cprocess_report *received, int *descriptor, int waits) {
    struct iovec part = { received, sizeof *received };
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = { 0 };
    struct msghdr whole = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control };
    ssize_t count;
    *descriptor = -1;
    while ((count = recvmsg(from, &whole, MSG_CMSG_CLOEXEC | (waits ? 0 : MSG_DONTWAIT))) < 0 && errno == EINTR) {}
    struct cmsghdr *header = count < 0 ? NULL : CMSG_FIRSTHDR(&whole);
    if (header != NULL && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS && header->cmsg_len == CMSG_LEN(sizeof(int)))
        memcpy(descriptor, CMSG_DATA(header), sizeof *descriptor);
    return count == sizeof *received ? 0 : count < 0 ? errno : EPIPE;
}

int cprocess_listen_without_file(char *name, size_t size) {
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    socklen_t length = sizeof address;
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    /* unix(7): with the family alone, the system chooses a free name. */
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address.sun_family) != 0 || listen(listener, 8) != 0
        || getsockname(listener, (struct sockaddr *)&address, &length) != 0)
        return -1;
    snprintf(name, size, "%.*s", (int)(length - offsetof(struct sockaddr_un, sun_path) - 1), address.sun_path + 1);
    return listener;
}

/* Returns the parent of a process, as proc_pid_stat(5) writes it; 0 if that cannot be read. */
static int parent(int process) {
    char path[32], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", process);
    FILE *file = fopen(path, "re");
    if (file == NULL) return 0;
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    /* The name in parentheses may contain any character. */
    char *end = strrchr(text, ')');
    int found = 0;
    return end != NULL && sscanf(end + 1, " %*c %d", &found) == 1 ? found : 0;
}

static int descends(int process, int ancestor) {
    if (access("/proc/1/stat", R_OK) != 0) return 1;
    while (process > 0 && process != ancestor) process = parent(process);
    return process == ancestor;
}

int cprocess_accept_from(int listener, unsigned user, int ancestor) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (connection >= 0 && getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == user
        && descends(peer.pid, ancestor))
        return connection;
    if (connection >= 0) close(connection);
    return -1;
}
