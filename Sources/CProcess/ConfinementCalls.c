#include "Confinement.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

/* The system calls that a confined command does not get (seccomp(2)). The filters run through tests of the number in the accumulator. */

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
/* The calls of x32 have this bit, and a number of their own for ioctl. */
#define OTHER_BIT 0x40000000u
#define OTHER_IOCTL 514
/* A program for 32 bits: asm/unistd_32.h. */
#define SHORT_ADD_KEY 286
#define SHORT_SOCKET 359
#define SHORT_SOCKETCALL 102
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#define OTHER_BIT 0u
#define OTHER_IOCTL __NR_ioctl
#define SHORT_ADD_KEY 309
#define SHORT_SOCKET 281
/* The call of the former binary interface. */
#define SHORT_SOCKETCALL 102
#else
#error "the numbers of this processor's system calls are not known here"
#endif
/* The same for x86 and ARM. */
#define SHORT_IOCTL 54
/* socket(2) as a call of socketcall(2). */
#define CALLS_SOCKET 1
/* The same everywhere. */
#define IO_URING_SETUP 425

#define LOAD(part) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, part))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define REFUSE(error) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))
/* Skip so many steps if the test is true, or false. */
#define TEST(test, value, if_true, if_false) BPF_JUMP(BPF_JMP | BPF_##test | BPF_K, value, if_true, if_false)

/* Leads to the steps for 32 bits, which are so many steps away, or loads a number of this processor. */
#define BY_PROCESSOR(count) \
    LOAD(arch), TEST(JEQ, NATIVE, 0, (count) + 2), LOAD(nr), BPF_STMT(BPF_ALU | BPF_AND | BPF_K, ~OTHER_BIT)

/* Refuses TIOCSTI and TIOCLINUX. The system reads the lower half of the second argument only. */
#define TYPING(ioctl) \
    TEST(JEQ, ioctl, 0, 5), LOAD(args[1]), TEST(JEQ, TIOCSTI, 1, 0), TEST(JEQ, TIOCLINUX, 0, 1), REFUSE(EPERM), ALLOW
/* Refuses add_key, request_key and keyctl, whose numbers follow each other, as a system without keyrings does. */
#define KEYRINGS(first) TEST(JGE, first, 0, 2), TEST(JGT, (first) + 2, 1, 0), REFUSE(ENOSYS)

/* Refuses sockets of all families but those that a network namespace separates. */
#define FAMILIES(socket) \
    TEST(JEQ, socket, 0, 7), LOAD(args[0]), TEST(JEQ, AF_UNIX, 4, 0), TEST(JEQ, AF_INET, 3, 0), TEST(JEQ, AF_INET6, 2, 0), \
        TEST(JEQ, AF_NETLINK, 1, 0), REFUSE(EAFNOSUPPORT), ALLOW
/* Refuses a socket whose family is in memory. */
#define HIDDEN_FAMILIES(socketcall) \
    TEST(JEQ, socketcall, 0, 4), LOAD(args[0]), TEST(JEQ, CALLS_SOCKET, 0, 1), REFUSE(EAFNOSUPPORT), ALLOW
/* Refuses the calls that a ring of io_uring makes past these filters. */
#define RINGS TEST(JEQ, IO_URING_SETUP, 0, 1), REFUSE(ENOSYS)

static int install(struct sock_filter *steps, size_t size) {
    struct sock_fprog filter = { size / sizeof *steps, steps };
    return prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) == 0 && prctl(PR_SET_SECCOMP, (long)SECCOMP_MODE_FILTER, &filter, 0L, 0L) == 0;
}

void confinement_forbid_typing(void) {
    /* The command shares the terminal of Yett; what it pushed back there, the shell would read as typed (tty_ioctl(4)). The keyrings of the
       user's session are also those of another user's command, and a user namespace does not separate them. */
    struct sock_filter steps[] = {
        BY_PROCESSOR(16), TYPING(__NR_ioctl), TYPING(OTHER_IOCTL), KEYRINGS(__NR_add_key), ALLOW,
        LOAD(nr), TYPING(SHORT_IOCTL), KEYRINGS(SHORT_ADD_KEY), ALLOW,
    };
    confinement_require(install(steps, sizeof steps), CPROCESS_TERMINAL);
}

void confinement_forbid_other_networks(void) {
    /* AF_VSOCK leads to the host of a virtual machine, or to a server on this one, from every network namespace. */
    struct sock_filter steps[] = {
        BY_PROCESSOR(11), RINGS, FAMILIES(__NR_socket), ALLOW,
        LOAD(nr), RINGS, FAMILIES(SHORT_SOCKET), HIDDEN_FAMILIES(SHORT_SOCKETCALL), ALLOW,
    };
    confinement_require(install(steps, sizeof steps), CPROCESS_NETWORK);
}
