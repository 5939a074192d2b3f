import Glibc
import OperatingSystem
import Synchronization

/// A server on 127.0.0.1 that answers one request per connection as a test says. Bodies of any size are counted; their beginning is kept.
final class StandInServer: Sendable {
    /// A request.
    struct Request: Sendable {
        var method = ""
        var target = ""
        var head = ""
        /// At most 1 MiB.
        var body: [UInt8] = []
        var bodySize = 0

        func header(_ name: String) -> String? {
            head.split(whereSeparator: \.isNewline).first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
                .map { String($0.drop { $0 != ":" }.dropFirst().drop { $0 == " " }) }
        }
    }

    /// A response.
    struct Answer: Sendable {
        var status = 200
        var headers: [String] = []
        var body: [UInt8] = []
        /// How often the body is sent.
        var count = 1
        /// How often the response says that it is sent, if that is a lie.
        var announced: Int?
    }

    let port: Int
    private let descriptor: CInt
    private let received = Mutex<[Request]>([])

    var origin: String { "http://127.0.0.1:\(port)" }
    /// The requests so far.
    var requests: [Request] { received.withLock(\.self) }

    /// Starts the server. It ends with the last reference.
    init(_ answer: @escaping @Sendable (Request) -> Answer) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && listen(descriptor, 8) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard isBound else { throw SystemError.last }
        port = Int(in_port_t(bigEndian: address.sin_port))
        self.descriptor = descriptor
        _ = DetachedThread.start { [weak self] in
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else {
                    if errno == EINTR { continue }
                    // Here and not in deinit: this thread would accept for the next server that gets the number.
                    close(descriptor)
                    return
                }
                var reader = Reader(connection)
                if let request = reader.request() {
                    self?.received.withLock { $0.append(request) }
                    Self.send(answer(request), on: connection)
                }
                close(connection)
            }
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    private static func send(_ answer: Answer, on connection: CInt) {
        let size = answer.body.count * (answer.announced ?? answer.count)
        let head = ["HTTP/1.1 \(answer.status) Answer", "Content-Length: \(size)", "Connection: close"] + answer.headers + ["", ""]
        guard sendAll(Array(head.joined(separator: "\r\n").utf8), on: connection) else { return }
        for _ in 0..<answer.count {
            guard sendAll(answer.body, on: connection) else { return }
        }
    }

    private static func sendAll(_ bytes: [UInt8], on connection: CInt) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Reads a request from a connection.
    private struct Reader {
        let connection: CInt
        var waiting: [UInt8] = []

        init(_ connection: CInt) { self.connection = connection }

        private mutating func more() -> Bool {
            let piece = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
                count = max(0, recv(connection, buffer.baseAddress, buffer.count, 0))
            }
            waiting += piece
            return !piece.isEmpty
        }

        private mutating func line() -> String? {
            while true {
                if let end = waiting.firstIndex(of: 0x0A) {
                    defer { waiting.removeFirst(end + 1) }
                    return String(decoding: waiting[..<end], as: UTF8.self).filter { $0 != "\r" }
                }
                guard more() else { return nil }
            }
        }

        mutating func request() -> Request? {
            var request = Request()
            while let line = line(), !line.isEmpty { request.head += line + "\n" }
            let words = request.head.prefix { $0 != "\n" }.split(separator: " ")
            guard words.count == 3 else { return nil }
            (request.method, request.target) = (String(words[0]), String(words[1]))
            if request.header("Expect") != nil { _ = sendAll(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), on: connection) }
            if request.header("Transfer-Encoding") != nil {
                while let size = line().flatMap({ Int($0, radix: 16) }), size > 0 {
                    guard take(size, into: &request), line() != nil else { return nil }
                }
            } else if let size = request.header("Content-Length").flatMap({ Int($0) }) {
                guard take(size, into: &request) else { return nil }
            }
            return request
        }

        private mutating func take(_ size: Int, into request: inout Request) -> Bool {
            var left = size
            while left > 0 {
                if waiting.isEmpty, !more() { return false }
                let count = min(left, waiting.count)
                if request.body.count < 1 << 20 { request.body += waiting[..<count] }
                request.bodySize += count
                left -= count
                waiting.removeFirst(count)
            }
            return true
        }
    }
}
