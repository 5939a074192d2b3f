internal import AuthModel
internal import Glibc

/// Reads a client secret from where the configuration says it is.
enum ClientSecretSource {
    static func read(_ source: ProviderConfiguration.SecretSource, environment: [String: String]) async throws(AuthFailure) -> Secret {
        switch source {
        case .file(let path): return try readFile(path)
        case .command(let arguments):
            return try await CommandOutput(arguments: arguments, environment: environment, deadline: .seconds(30)).firstLine()
        }
    }

    /// The first line of a file that only its owner can read.
    private static func readFile(_ path: String) throws(AuthFailure) -> Secret {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            throw AuthFailure(
                .configuration, "the client secret file \(path) cannot be read: \(String(cString: strerror(errno)))",
                hint: "put the secret on its first line, and run: chmod 600 \(path)")
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & 0o077 == 0 else {
            throw AuthFailure(.configuration, "the client secret file \(path) can be read by others", hint: "run: chmod 600 \(path)")
        }
        var bytes = [UInt8](repeating: 0, count: 4096)
        defer { bytes.withUnsafeMutableBytes { if let base = $0.baseAddress { explicit_bzero(base, $0.count) } } }
        let count = Glibc.read(file, &bytes, bytes.count)
        let line = bytes.prefix(max(count, 0)).prefix { $0 != 0x0A && $0 != 0x0D }
        guard !line.isEmpty else {
            throw AuthFailure(.configuration, "the client secret file \(path) is empty", hint: "put the secret on its first line")
        }
        return Secret(bytes: line)
    }
}
