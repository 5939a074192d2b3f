#include "Confinement.h"

#include <fcntl.h>
#include <grp.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* The program between `yett exec` and a command that gets less than this user has: another user, or namespaces of its own. It is a process
   of its own, which has read no secret, because the maps of a user namespace can be written only by a process that others may read.

   It reports to `yett exec` on a socket, gets the environment of the command there, and stays beside the command: it passes signals on, and
   ends the command when the other end of the socket is closed, even by SIGKILL. */

enum { channel_number = 3 };

static int channel = channel_number;

/* Sends a report, with a descriptor unless it is negative. */
static void report(enum cprocess_stage stage, int number, int descriptor) {
    struct cprocess_report message = { stage, number };
    struct iovec part = { &message, sizeof message };
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = { 0 };
    struct msghdr whole = { .msg_iov = &part, .msg_iovlen = 1 };
    if (descriptor >= 0) {
        whole.msg_control = &control;
        whole.msg_controllen = sizeof control;
        struct cmsghdr *header = CMSG_FIRSTHDR(&whole);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    }
    while (sendmsg(channel, &whole, MSG_NOSIGNAL) < 0 && errno == EINTR) {}
}

void confinement_require(int succeeded, enum cprocess_stage stage) {
    if (succeeded) return;
    report(stage, errno, -1);
    _exit(1);
}

static void write_map(const char *path, const char *text) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    confinement_require(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text), CPROCESS_NAMESPACE);
    close(file);
}

/* Keeps what is mounted in this namespace from the others. */
static int keep_mounts(void) { return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL); }

/* Creates the namespaces. This user and group are the same in them; no other user is known there. */
static void enter_namespaces(void) {
    char user[64], group[64];
    snprintf(user, sizeof user, "%u %u 1\n", geteuid(), geteuid());
    snprintf(group, sizeof group, "%u %u 1\n", getegid(), getegid());
    /* A change of the user has closed /proc/self to this process, which has nothing to hide. */
    prctl(PR_SET_DUMPABLE, 1L, 0L, 0L, 0L);
    confinement_require(unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC) == 0, CPROCESS_NAMESPACE);
    write_map("/proc/self/setgroups", "deny");
    write_map("/proc/self/uid_map", user);
    write_map("/proc/self/gid_map", group);
    confinement_require(keep_mounts() == 0, CPROCESS_NAMESPACE);
}

/* Returns a socket that listens on the loopback address of this namespace, and stores its port. */
static int listen_on_loopback(int *port) {
    struct ifreq loopback = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    confinement_require(
        listener >= 0 && ioctl(listener, SIOCSIFFLAGS, &loopback) == 0 && bind(listener, (struct sockaddr *)&address, size) == 0
            && listen(listener, 64) == 0 && getsockname(listener, (struct sockaddr *)&address, &size) == 0,
        CPROCESS_NETWORK);
    *port = ntohs(address.sin_port);
    return listener;
}

static void become(const char *name) {
    errno = 0;
    struct passwd *user = getpwnam(name);
    if (user == NULL && errno == 0) errno = ENOENT;
    confinement_require(
        user != NULL && initgroups(name, user->pw_gid) == 0 && setresgid(user->pw_gid, user->pw_gid, user->pw_gid) == 0
            && setresuid(user->pw_uid, user->pw_uid, user->pw_uid) == 0,
        CPROCESS_USER);
}

static void read_all(void *bytes, size_t count) {
    for (size_t done = 0; done < count;) {
        ssize_t part = recv(channel, (char *)bytes + done, count - done, 0);
        if (part < 0 && errno == EINTR) continue;
        /* Nothing starts the command any more. */
        if (part <= 0) _exit(1);
        done += (size_t)part;
    }
}

/* Receives the environment of the command, and its umask. */
static char **receive_environment(void) {
    struct cprocess_start start;
    read_all(&start, sizeof start);
    char *text = malloc(start.size + 1), **variables = calloc(start.count + 1, sizeof *variables);
    confinement_require(text != NULL && variables != NULL, CPROCESS_COMMAND);
    read_all(text, start.size);
    text[start.size] = 0;
    char *next = text;
    for (uint32_t index = 0; index < start.count && next < text + start.size; index++) {
        variables[index] = next;
        next += strlen(next) + 1;
    }
    umask((mode_t)start.mask);
    return variables;
}

/* Connects to the process that asked sudo to start this one: sudo closes descriptors. Another user could have taken the name meanwhile, and
   would choose what the command does. */
static void reach(const char *name) {
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    size_t length = strlen(name);
    const char *caller = getenv("SUDO_UID");
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (length > sizeof address.sun_path - 1 || caller == NULL) _exit(64);
    /* A name without a file begins with a null byte. */
    memcpy(address.sun_path + 1, name, length);
    channel = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (channel < 0 || connect(channel, (struct sockaddr *)&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length)) != 0
        || getsockopt(channel, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.uid != strtoul(caller, NULL, 10))
        _exit(1);
}

/* Waits for the end of a child, and passes on to it the signals that another process has sent to this one; those of the terminal reach all
   processes by themselves. Ends with the child's status. */
static _Noreturn void stay_beside(pid_t child, const sigset_t *all) {
    struct pollfd sources[2] = { { signalfd(-1, all, SFD_CLOEXEC), POLLIN, 0 }, { channel, 0, 0 } };
    for (;;) {
        if (poll(sources, 2, -1) < 0) continue;
        if (sources[1].revents != 0) {
            kill(child, SIGKILL);
            sources[1].fd = -1;
        }
        struct signalfd_siginfo signal;
        if ((sources[0].revents & POLLIN) == 0 || read(sources[0].fd, &signal, sizeof signal) != sizeof signal) continue;
        if (signal.ssi_signo != SIGCHLD && signal.ssi_code <= 0) kill(child, (int)signal.ssi_signo);
        int status;
        for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;)
            if (ended == child) _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    }
}

/* Gives up the privileges that the user has in its own namespace: with them, the command could uncover what is hidden. */
static void give_up_privileges(void) {
    for (unsigned long capability = 0; prctl(PR_CAPBSET_DROP, capability, 0L, 0L, 0L) == 0; capability++) {}
}

static void end_with_parent(void) { prctl(PR_SET_PDEATHSIG, (long)SIGKILL, 0L, 0L, 0L); }

static pid_t start_child(void) {
    pid_t child = fork();
    confinement_require(child >= 0, CPROCESS_COMMAND);
    if (child == 0) end_with_parent();
    return child;
}

int cprocess_confine(int count, char **words) {
    const char *user = NULL, *program = NULL, *caller = NULL;
    int isolates = 0, index = 0, port = 0, listener = -1;
    for (; index < count && strcmp(words[index], "--") != 0; index++) {
        if (strcmp(words[index], "isolated") == 0) isolates = 1;
        if (strncmp(words[index], "user=", 5) == 0) user = words[index] + 5;
        if (strncmp(words[index], "program=", 8) == 0) program = words[index] + 8;
        if (strncmp(words[index], "caller=", 7) == 0) caller = words[index] + 7;
    }
    int first = index + 1;
    if (first >= count || program == NULL) return 64;
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &all, NULL);
    if (caller != NULL) reach(caller);
    fcntl(channel, F_SETFD, FD_CLOEXEC);
    /* Root gives another user's command a namespace for processes too, where the system lets it. */
    int ends_together = isolates || (user != NULL && unshare(CLONE_NEWNS) == 0 && keep_mounts() == 0 && unshare(CLONE_NEWPID) == 0);
    if (isolates) {
        if (user != NULL) become(user);
        enter_namespaces();
    }
    if (ends_together) {
        /* The first process of the namespace: when it ends, the system ends all others in it. */
        pid_t child = start_child();
        if (child != 0) stay_beside(child, &all);
        int is_mounted = mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) == 0;
        confinement_require(is_mounted || !isolates, CPROCESS_PROCESSES);
    }
    if (isolates) {
        confinement_cover(words, first);
        confinement_cover_terminals();
        listener = listen_on_loopback(&port);
        give_up_privileges();
        confinement_forbid_other_networks();
    } else if (user != NULL) {
        become(user);
        /* The change of the user has reset it. */
        if (ends_together) end_with_parent();
    }
    confinement_forbid_typing();
    report(CPROCESS_READY, port, listener);
    if (listener >= 0) close(listener);
    char **variables = receive_environment();
    pid_t child = start_child();
    if (child != 0) stay_beside(child, &all);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(program, words + first, variables);
    report(CPROCESS_COMMAND, errno, -1);
    _exit(errno == ENOENT ? 127 : 126);
}
