import Glibc
import OperatingSystem

/// The program file of a running agent, which an update replaces.
public struct AgentProgram: Sendable {
    /// The attributes that distinguish a program file from the one that an update puts in its place.
    struct Identity: Equatable {
        private let device: dev_t
        private let number: ino_t
        private let size: off_t
        private let seconds: Int
        private let nanoseconds: Int

        /// Returns the identity of a file that this user may trust and execute; `nil` if there is none at the path.
        init?(_ path: String) {
            var found = stat()
            guard stat(path, &found) == 0, found.st_mode & S_IFMT == S_IFREG, found.st_uid == 0 || found.st_uid == geteuid(),
                found.st_mode & 0o022 == 0, access(path, X_OK) == 0
            else { return nil }
            (device, number, size) = (found.st_dev, found.st_ino, found.st_size)
            (seconds, nanoseconds) = (found.st_mtim.tv_sec, found.st_mtim.tv_nsec)
        }
    }

    /// The absolute path.
    let path: String
    /// The command line after the program's name.
    let arguments: [String]
    private let original: Identity

    /// Creates the value for the program that is running now.
    ///
    /// - Parameters:
    ///   - path: the absolute path of its file.
    ///   - arguments: its command line after the program's name.
    /// - Returns: `nil` if others than this user and root can change the file.
    public init?(path: String, arguments: [String]) {
        guard let original = Identity(path) else { return nil }
        self.path = path
        self.arguments = arguments
        self.original = original
    }

    /// The file that replaced the program; `nil` if none did, or if it cannot be executed.
    var replacement: Identity? { Identity(path).flatMap { $0 == original ? nil : $0 } }

    /// Calls `body` after each change of the folder, until the result is released; `nil` if the system provides no watch.
    func watch(_ body: @escaping @Sendable () -> Void) -> FolderEvents? {
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        guard let events = FolderEvents({ _ in body() }), events.watch(folder, for: [.appeared, .written]) else { return nil }
        return events
    }

    /// Continues with the program file that is at the path now, in this process. Returns only if that fails.
    func replaceProcess(environment: [String: String]) -> SystemError {
        ProcessReplacement.run([path] + arguments, environment: environment)
    }
}
