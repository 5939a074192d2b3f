internal import AuthModel
internal import Glibc

/// The socket file of a proxy: only the user can open it, from the first moment.
enum ProxySocketFile {
    /// Runs `bind` so that the new file belongs to the user alone. Removes a file that an ended proxy left; refuses any other.
    static func bind<Server: Sendable>(_ path: String, _ bind: () async throws -> Server) async throws -> Server {
        var found = stat()
        if lstat(path, &found) == 0 {
            guard found.st_mode & S_IFMT == S_IFSOCK, found.st_uid == geteuid(), !isServed(path) else {
                throw AuthFailure(.configuration, UserMessage("proxy.path_in_use", ["path": path]), hint: "hint.choose_another_address")
            }
            unlink(path)
        }
        // The umask holds for the whole process, which does nothing else yet.
        let mask = umask(0o177)
        defer { umask(mask) }
        return try await bind()
    }

    /// Whether a process listens at the socket.
    private static func isServed(_ path: String) -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { space in space.copyBytes(from: path.utf8.prefix(space.count - 1)) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }
}
