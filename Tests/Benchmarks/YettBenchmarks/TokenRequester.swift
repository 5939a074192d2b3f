import Glibc
import ProcessHarness

/// Requests a token from an agent repeatedly on one connection.
final class TokenRequester {
    private let descriptor: Int32
    private let request: [UInt8]
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    init(_ home: FilledHome, session: String) throws {
        let body = "{\"session\":\"\(session)\"}"
        request = Array(
            ("POST /v1/token HTTP/1.1\r\nHost: yett\r\nYett-Protocol: 1\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)").utf8)
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: home.socket.utf8.prefix($0.count - 1)) }
        let status = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
        guard status == 0 else { throw HarnessError("the agent does not take a connection: error \(errno)") }
    }

    deinit { close(descriptor) }

    /// Sends the request and reads the response, `times` times.
    func run(_ times: Int) throws { try Self.run([self], times) }

    /// Does the same on several connections in parallel.
    static func run(_ requesters: [TokenRequester], _ times: Int) throws {
        for _ in 0..<times {
            for requester in requesters { try requester.send() }
            for requester in requesters { try requester.receive() }
        }
    }

    private func send() throws {
        guard write(descriptor, request, request.count) == request.count else { throw HarnessError("the agent closed the connection") }
    }

    private func receive() throws {
        var got = 0
        repeat {
            let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress.map { $0 + got }, $0.count - got) }
            guard count > 0 else { throw HarnessError("the agent closed the connection") }
            got += count
        } while buffer[got - 1] != UInt8(ascii: "}")
        guard buffer.starts(with: Self.start) else { throw HarnessError("no token: \(String(decoding: buffer[..<got], as: UTF8.self))") }
    }

    private static let start = Array("HTTP/1.1 200 OK\r\n".utf8)
}
