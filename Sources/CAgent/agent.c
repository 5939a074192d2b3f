#include "CAgent.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

ssize_t yett_receive(int socket, void *bytes, size_t count, int *descriptor) {
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int) * 4)];
    } control;
    struct iovec part = { bytes, count };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control };
    *descriptor = -1;
    ssize_t received = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (received < 0) return received;
    for (struct cmsghdr *head = CMSG_FIRSTHDR(&message); head != NULL; head = CMSG_NXTHDR(&message, head)) {
        if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
        size_t size = head->cmsg_len - CMSG_LEN(0);
        for (size_t offset = 0; offset + sizeof(int) <= size; offset += sizeof(int)) {
            int found;
            memcpy(&found, CMSG_DATA(head) + offset, sizeof found);
            if (*descriptor < 0) *descriptor = found; else close(found);
        }
    }
    return received;
}
