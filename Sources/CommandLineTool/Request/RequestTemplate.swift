internal import AuthEngine
internal import AuthModel
internal import Glibc
internal import OAuth
internal import OperatingSystem
internal import UserConfiguration

/// The request that the user wants to send, without a token.
struct RequestTemplate {
    let method: WebRequest.Method
    let headers: [(name: String, value: String)]
    private let body: [UInt8]

    /// Header fields that belong to the session or to the connection.
    private static let reserved = [
        "authorization", "dpop", "host", "cookie", "connection", "content-length", "transfer-encoding", "upgrade", "te", "trailer",
        "expect",
        "proxy-authorization",
    ]

    /// Creates a template from the command's options. Throws `.usage` for values that cannot be sent.
    ///
    /// - Parameters:
    ///   - source: the body; `nil` if the user names none.
    ///   - reserved: header fields that belong to the session at this provider, in lower case.
    init(method: String?, headers: [String], source: RequestSource?, reserved: Set<String> = []) throws(AuthFailure) {
        if let method {
            guard let known = WebRequest.Method(rawValue: method.uppercased()) else {
                throw AuthFailure(
                    .usage, text: "no method for a request with a token: '\(method)'", hint: "use one word, such as GET, POST or PATCH")
            }
            self.method = known
        } else {
            self.method = source == nil ? .get : .post
        }
        body = source?.bytes ?? []
        var fields: [(name: String, value: String)] = []
        for text in headers { fields.append(try Self.field(text, reserved: reserved)) }
        func has(_ name: String) -> Bool { fields.contains { $0.name.asciiLowercased() == name } }
        if !has("accept") { fields.append(("Accept", "*/*")) }
        if let type = source?.mediaType, !has("content-type") { fields.append(("Content-Type", type)) }
        self.headers = fields
    }

    func request(_ url: WebURL) -> WebRequest { WebRequest(method: method, url: url, headers: headers, body: body) }

    private static func field(_ text: String, reserved own: Set<String>) throws(AuthFailure) -> (name: String, value: String) {
        guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else {
            throw AuthFailure(.usage, text: "a header field must be name: value", hint: "for example -H 'Accept: application/json'")
        }
        let name = String(text[..<colon])
        guard !reserved.contains(name.asciiLowercased()), !own.contains(name.asciiLowercased()) else {
            throw AuthFailure(
                .usage, text: "the header field \(name) cannot be set", hint: "Yett sets it for the session or the connection")
        }
        return (name, String(String(text[text.index(after: colon)...]).trimmed))
    }

}

/// The source of a request's body.
enum RequestSource: Sendable {
    /// Bytes in memory.
    case bytes([UInt8])
    /// A file that is read anew for each attempt.
    case file(path: String, size: Int)
    /// Standard input, which can be read once; its beginning was already read.
    case input(beginning: [UInt8], rest: @Sendable () async -> [UInt8]?)

    /// The largest body that is kept in memory, in bytes. It can be sent again, after a renewal for example.
    static let memoryLimit = 1 << 20

    /// Returns the source that the user named: the text itself, `@FILE`, or `@-` for standard input; no bytes for `nil`.
    init(_ text: String?, from input: @escaping @Sendable () async -> [UInt8]?) async throws(AuthFailure) {
        guard let text, text.hasPrefix("@") else {
            self = .bytes(Array((text ?? "").utf8))
            return
        }
        let path = String(text.dropFirst())
        self = path == "-" ? await Self.beginning(of: input) : try Self.file(path)
    }

    private static func beginning(of input: @escaping @Sendable () async -> [UInt8]?) async -> RequestSource {
        var bytes: [UInt8] = []
        while bytes.count <= memoryLimit {
            guard let piece = await input() else { return .bytes(bytes) }
            bytes += piece
        }
        return .input(beginning: bytes, rest: input)
    }

    private static func file(_ path: String) throws(AuthFailure) -> RequestSource {
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > memoryLimit {
            // The same rule as for a small file: others must not decide what is sent with the user's token.
            guard status.st_uid == geteuid() || status.st_uid == 0 else { throw PrivateFile.failure(.foreignOwner, path) }
            guard status.st_mode & 0o022 == 0 else { throw PrivateFile.failure(.accessibleToOthers, path) }
            return .file(path: path, size: Int(status.st_size))
        }
        guard let bytes = try PrivateFile.read(path) else { throw AuthFailure(.usage, text: "file \(path) not found") }
        return .bytes(bytes)
    }

    /// The body if it is in memory.
    var bytes: [UInt8] {
        guard case .bytes(let bytes) = self else { return [] }
        return bytes
    }

    /// The media type to send if the user names none; `nil` without a body.
    var mediaType: String? {
        guard case .bytes(let bytes) = self else { return "application/octet-stream" }
        guard !bytes.isEmpty else { return nil }
        let text = String(validating: bytes, as: UTF8.self)
        return text.flatMap { try? JSONValue(strict: $0) } == nil ? "application/x-www-form-urlencoded" : "application/json"
    }

    /// The size in bytes; `nil` if it is not known.
    var size: Int? {
        switch self {
        case .bytes(let bytes): bytes.count
        case .file(_, let size): size
        case .input: nil
        }
    }

    /// Writes the body, as far as it is wanted, and ends it. A body that cannot be read to its end is aborted, so that it does not look
    /// complete.
    func write(to body: RequestBody) async {
        switch self {
        case .bytes(let bytes):
            _ = await body.write(bytes)
        case .file(let path, let size):
            guard await Self.copy(path, size, to: body) else { return body.abort() }
        case .input(let beginning, let rest):
            guard await body.write(beginning) else { return }
            while let piece = await rest() {
                guard await body.write(piece) else { return }
            }
            if Task.isCancelled { return body.abort() }
        }
        body.finish()
    }

    private static func copy(_ path: String, _ size: Int, to body: RequestBody) async -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let reader = ByteReader(descriptor: descriptor)
        var count = 0
        while let piece = await reader.next() {
            count += piece.count
            guard await body.write(piece) else { return false }
        }
        return count == size
    }
}
