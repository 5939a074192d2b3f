// A process for the store's tests: it does one thing to a store and reports each step as a line, until it is done or dies.
//
//   save DIR FAULT AT SEED    saves numbers into one session, with a fault at a change of the disk
//   create DIR FAULT AT SEED  makes a store
//   passphrase DIR OLD NEW FAULT AT SEED
//   upgrade DIR PASSPHRASE FAULT AT SEED
//                             unlocks a store that was made when a passphrase was cheaper to guess
//   count DIR TIMES           adds one to a number in a session, so many times
//   hold DIR SESSION          takes a session's lock and keeps it until its input ends
//   umask DIR MASK            makes a store and a session under a umask (octal)
//   limit DIR BYTES           saves under a limit on the size of files
//   memory DIR BYTES          saves where SQLite gets no more than so many bytes beyond what it has

import Glibc

let arguments = CommandLine.arguments
do {
    try await StoreTask(arguments).run()
} catch {
    report("failed \(error)")
    exit(1)
}
