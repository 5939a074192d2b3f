#ifndef YETT_CPROCESS_H
#define YETT_CPROCESS_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>

/* Prevents other programs of the same user from reading or debugging this process, and prevents core dumps. Returns 0 or an errno number.
   Defined in the header, so that the statically linked launcher links nothing else. */
static inline int cprocess_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0L, 0L, 0L, 0L) == 0 ? 0 : errno; }

/* Returns whether cprocess_forbid_dumps() is in effect. */
static inline int cprocess_dumps_are_forbidden(void) { return prctl(PR_GET_DUMPABLE, 0L, 0L, 0L, 0L) == 0; }

/* Return the command line of this process: the number of arguments, and the arguments, ended by a null pointer. */
int cprocess_argument_count(void);
char *_Nullable *_Nonnull cprocess_arguments(void);

/* Writes the path of the running program, ended by a null byte. Returns its length; 0 if it is not known or does not fit. */
size_t cprocess_own_path(char *_Nonnull path, size_t size);

/* Closes all descriptors from `first` on in a child process; `actions` is a posix_spawn_file_actions_t. Returns 0 or an errno number. */
int cprocess_close_from(void *_Nonnull actions, int first);

/* Makes all threads share one heap, because each thread's own heap would keep the memory that the thread once needed. Call it before a
   second thread starts. */
void cprocess_share_one_heap(void);

/* Returns the pages of read-only code to the system, which reads them from their files again when they are needed. */
void cprocess_release_code(void);

/* A step on the way to a confined command, in a report about it. */
enum cprocess_stage {
    /* The command can be started. */
    CPROCESS_READY,
    /* Becoming another user. */
    CPROCESS_USER,
    /* Creating the namespaces. */
    CPROCESS_NAMESPACE,
    /* Mounting a /proc that shows only the processes of the namespace. */
    CPROCESS_PROCESSES,
    /* Covering a path. */
    CPROCESS_HIDING,
    /* Setting up loopback. */
    CPROCESS_NETWORK,
    /* Keeping the command from the input of the terminal. */
    CPROCESS_TERMINAL,
    /* Running the command. */
    CPROCESS_COMMAND,
};

/* A report: an errno number, or with CPROCESS_READY the port of the listening socket that comes with it, 0 without one. */
struct cprocess_report {
    enum cprocess_stage stage;
    int number;
};

/* What starts the command, followed by its environment: `count` texts, each ended by a null byte, of `size` bytes together. */
struct cprocess_start {
    uint32_t size;
    uint32_t count;
    uint32_t mask;
};

/* Confines this process, then starts a command and stays beside it. Descriptor 3 is a stream socket to the process that asked for it: it gets
   a report, sends a cprocess_start, and ends the command by closing its end. Call it before the process has a second thread.

   The words: `isolated` for namespaces of users, processes, mounts, messages between processes and the network, with a report that
   has a socket listening on its loopback; `hide=PATH` for what is covered there, `lock=PATH` for a folder that is only read there, and
   `show=PATH` for one in a covered folder that is seen all the same, and only read; `user=NAME` to become that user; `caller=NAME` to connect
   to a socket of that name, without a file, in place of descriptor 3, below sudo; `program=PATH`; `--`, and the arguments of the program from
   number 0 on. Returns only if they are wrong, with an exit status. */
int cprocess_confine(int count, char *_Nullable *_Nonnull words);

/* Receives a report, and the descriptor with it, -1 without one. Returns 0 or an errno number: EPIPE at the end, EAGAIN if there is none and
   the call may not wait. */
int cprocess_receive_report(int from, struct cprocess_report *_Nonnull received, int *_Nonnull descriptor, int waits);

/* Opens a listening Unix socket without a file, and stores its name, ended by a null byte. Returns -1 if that fails. */
int cprocess_listen_without_file(char *_Nonnull name, size_t size);

/* Accepts a connection of a process of this user that descends from this process. Returns -1 if it is another's. Where the system hides the
   processes of others, their parents are not known, and the user counts alone. */
int cprocess_accept_from(int listener, unsigned user, int ancestor);

#endif
