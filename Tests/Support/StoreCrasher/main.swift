// A process for the store's tests: it performs one task on a store and reports each step as a line, until it ends or is killed.
//
//   save DIR FAULT AT SEED    saves numbers into one session, with a fault at a change of the disk
//   create DIR FAULT AT SEED  creates a store
//   passphrase DIR OLD NEW FAULT AT SEED
//   upgrade DIR PASSPHRASE FAULT AT SEED
//                             unlocks a store whose passphrase has weaker key derivation settings
//   seal DIR SEAL SOCKET STEP FAULT AT SEED
//                             changes the seal of a store (to a passphrase "one", or to a stand-in for a keyring or a security key); killed
//                             at a step of the key storages, or with a fault at a change of the disk
//   count DIR TIMES           adds one to a number in a session, TIMES times
//   hold DIR SESSION          locks a session until the end of standard input
//   umask DIR MASK            creates a store and locks a session under a umask (octal)
//   limit DIR BYTES           saves under a file size limit
//   memory DIR BYTES          saves while SQLite can allocate at most BYTES more

import Glibc

let arguments = CommandLine.arguments
do {
    try await StoreTask(arguments).run()
} catch {
    report("failed \(error)")
    exit(1)
}
