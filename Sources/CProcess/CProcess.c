#include "CProcess.h"

#include <link.h>
#include <malloc.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

void cprocess_share_one_heap(void) {
    /* musl has only one heap and does not define this option. */
#ifdef M_ARENA_MAX
    mallopt(M_ARENA_MAX, 1);
#endif
}

int cprocess_close_from(void *actions, int first) { return posix_spawn_file_actions_addclosefrom_np(actions, first); }

static int release_code_of(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size, (void)context;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (int index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[index];
        /* Read-only pages, code and constants, are unchanged, so they can be read again from the file. */
        if (segment->p_type != PT_LOAD || (segment->p_flags & PF_W) != 0) continue;
        uintptr_t start = (object->dlpi_addr + segment->p_vaddr + page - 1) & ~(page - 1);
        uintptr_t end = (object->dlpi_addr + segment->p_vaddr + segment->p_filesz) & ~(page - 1);
        if (start < end) madvise((void *)start, end - start, MADV_DONTNEED);
    }
    return 0;
}

void cprocess_release_code(void) { dl_iterate_phdr(release_code_of, 0); }
