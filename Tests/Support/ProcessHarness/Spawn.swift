import Glibc

/// Starts a program in a session of its own, with default signals, and with only the three given descriptors open. Call it under
/// ``startLock``.
func spawn(_ program: Program, input: Int32, output: Int32, errors: Int32) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)

    // Libraries do not open every descriptor close-on-exec.
    for descriptor in openDescriptors() where descriptor > STDERR_FILENO { posix_spawn_file_actions_addclose(&actions, descriptor) }

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    var all = sigset_t()
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    // POSIX_SPAWN_SETSID, which the Glibc module does not declare: without a session of its own the program could use our terminal.
    let newSession: Int32 = 0x80
    posix_spawnattr_setflags(&attributes, Int16(Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF) | newSession))

    // `env` changes the folder and then runs the program: the call that would do this here is hidden from Swift.
    let starter = "/usr/bin/env"
    guard access(program.path, X_OK) == 0 else { throw HarnessError.system("cannot start \(program.path)", errno) }
    let words = CStrings([starter, "-C", program.folder, program.path] + program.arguments)
    let variables = CStrings(program.environment.map { "\($0.key)=\($0.value)" }.sorted())
    var processID = pid_t()
    let code = withExtendedLifetime((words, variables)) {
        posix_spawn(&processID, starter, &actions, &attributes, words.pointers, variables.pointers)
    }
    guard code == 0 else { throw HarnessError.system("cannot start \(program.path)", code) }
    return processID
}

/// Returns the open descriptors of this process.
package func openDescriptors() -> [Int32] {
    guard let folder = opendir("/proc/self/fd") else { return [] }
    defer { closedir(folder) }
    var found: [Int32] = []
    while let entry = readdir(folder) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        if let number = Int32(name), number != dirfd(folder) { found.append(number) }
    }
    return found
}

/// A null-terminated array of C strings, valid during its lifetime.
private final class CStrings {
    let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ strings: [String]) {
        count = strings.count
        pointers = .allocate(capacity: count + 1)
        for (index, string) in strings.enumerated() {
            (pointers + index).initialize(to: strdup(string))
        }
        (pointers + count).initialize(to: nil)
    }

    deinit {
        for index in 0..<count { free(pointers[index]) }
        pointers.deallocate()
    }
}
