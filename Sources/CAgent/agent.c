#define _GNU_SOURCE
#include "CAgent.h"

#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

int yett_close_memory(void) {
    struct rlimit none = { 0, 0 };
    if (setrlimit(RLIMIT_CORE, &none) != 0) return errno;
    // ptrace, /proc/PID/mem and core dumps are refused to everybody but root.
    if (prctl(PR_SET_DUMPABLE, 0L, 0L, 0L, 0L) != 0) return errno;
    // A token that passed through a string of the runtime does not outlive it in the heap. musl has no such switch, and says so by its absence.
#ifdef M_PERTURB
    mallopt(M_PERTURB, 0xA5);
#endif
    return 0;
}

int yett_memory_is_closed(void) { return prctl(PR_GET_DUMPABLE, 0L, 0L, 0L, 0L) == 0; }

int yett_has_raised_rights(void) { return getauxval(AT_SECURE) != 0; }

static int let_go_of_object(struct dl_phdr_info *object, size_t size, void *context) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (int index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[index];
        // What nobody can have written to is as it is in its file.
        if (segment->p_type != PT_LOAD || (segment->p_flags & (PF_X | PF_W)) != PF_X) continue;
        uintptr_t start = (object->dlpi_addr + segment->p_vaddr + page - 1) & ~(page - 1);
        uintptr_t end = (object->dlpi_addr + segment->p_vaddr + segment->p_filesz) & ~(page - 1);
        if (start < end) madvise((void *)start, end - start, MADV_DONTNEED);
    }
    return 0;
}

void yett_let_go_of_code(void) { dl_iterate_phdr(let_go_of_object, 0); }

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
