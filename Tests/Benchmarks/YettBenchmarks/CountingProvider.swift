import AuthModel
import Glibc
import ProcessHarness
import Synchronization

/// A provider that accepts every refresh token and records the time of each renewal.
final class CountingProvider: Sendable {
    /// A renewal: its time and its refresh token.
    struct Renewal: Sendable {
        var at: Duration
        var refreshToken: String
    }

    let issuer: String
    private let listener: Int32
    private let noted = Mutex<[Renewal]>([])

    /// The renewals in the order of arrival.
    var renewals: [Renewal] { noted.withLock(\.self) }

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 128) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        self.listener = listener
        guard status else { throw HarnessError("no port for a provider: error \(errno)") }
        issuer = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
        onThread { [weak self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else {
                    if errno == EINTR { continue }
                    // Here and not in deinit: this thread would accept for the next listener that gets the number.
                    close(listener)
                    return
                }
                self?.answer(connection)
                close(connection)
            }
        }
    }

    deinit {
        // Wakes the thread that waits in `accept`.
        shutdown(listener, Int32(SHUT_RDWR))
    }

    /// Reads one request and answers it immediately.
    private func answer(_ connection: Int32) {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while !isComplete(bytes) {
            let count = read(connection, &buffer, buffer.count)
            guard count > 0 else { return }
            bytes += buffer[..<count]
        }
        let text = String(decoding: bytes, as: UTF8.self)
        let body: String
        if text.hasPrefix("POST /token ") {
            let fields = FormEncoding.decode(text.components(after: "\r\n\r\n")) ?? []
            let token = fields.first { $0.name == "refresh_token" }?.value ?? ""
            noted.withLock { $0.append(Renewal(at: .now, refreshToken: token)) }
            body = """
                {"access_token":"new-\(token)","token_type":"Bearer","expires_in":3600,"refresh_token":"next-\(token)"}
                """
        } else {
            body = """
                {"issuer":"\(issuer)","authorization_endpoint":"\(issuer)/authorize","token_endpoint":"\(issuer)/token",\
                "jwks_uri":"\(issuer)/jwks","response_types_supported":["code"],"subject_types_supported":["public"],\
                "id_token_signing_alg_values_supported":["RS256"]}
                """
        }
        let answer = Array(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
                .utf8)
        _ = write(connection, answer, answer.count)
    }

    private func isComplete(_ bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.contains("\r\n\r\n") else { return false }
        let length = text.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst(15).drop { $0 == " " }) }
        return text.components(after: "\r\n\r\n").utf8.count >= length ?? 0
    }
}

extension Duration {
    /// The time of the monotonic clock.
    fileprivate static var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}

extension String {
    /// Returns the text after the first `mark`.
    fileprivate func components(after mark: String) -> String {
        let (text, mark) = (Array(utf8), Array(mark.utf8))
        guard let start = text.indices.first(where: { text[$0...].starts(with: mark) }) else { return "" }
        return String(decoding: text[(start + mark.count)...], as: UTF8.self)
    }
}
