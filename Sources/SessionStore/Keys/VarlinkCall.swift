import AuthModel
import Glibc
import OperatingSystem

/// One call of a Varlink method over a Unix socket: a JSON object that ends with a NUL byte, and one such object in answer (varlink.org).
///
/// It blocks its thread until the answer or the time limit. The peer is not trusted: every wait, size and form has a limit.
struct VarlinkCall: Sendable {
    let socket: String
    /// The time limit of the whole call.
    let limit: Duration

    /// The largest answer in bytes.
    private static let answerLimit = 256 << 10

    /// Returns the parameters of the answer. An error of the peer is ``SystemCredentialFailure/refused(_:)`` with its name.
    func run(_ method: String, _ parameters: JSONValue) throws(SystemCredentialFailure) -> JSONValue {
        let end = ContinuousClock.now + limit
        let descriptor = try connected(until: end)
        defer { close(descriptor) }
        var request = Array(JSONValue.members(("method", .string(method)), ("parameters", parameters)).text.utf8) + [0]
        defer { request.zeroize() }
        try send(request, to: descriptor, until: end)
        var answer = try receive(from: descriptor, until: end)
        defer { answer.zeroize() }
        let limits = JSONValue.Limits(bytes: Self.answerLimit, depth: 8)
        guard let document = try? JSONValue(strict: answer, limits: limits), document.members != nil else { throw .unreadable }
        if let error = document["error"] {
            guard let id = error.string, !id.isEmpty else { throw .unreadable }
            throw .refused(String(id.unicodeScalars.prefix(120).map(Character.init)))
        }
        guard document["continues"] != true, let values = document["parameters"], values.members != nil else { throw .unreadable }
        return values
    }

    private func connected(until end: ContinuousClock.Instant) throws(SystemCredentialFailure) -> Int32 {
        var address = sockaddr_un()
        let path = Array(socket.utf8)
        guard !path.isEmpty, path.count < MemoryLayout.size(ofValue: address.sun_path) else { throw .noService(socket) }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .failed(.verbatim(SystemError.last.text)) }
        // A full queue of the listener makes connect(2) wait.
        let (seconds, attoseconds) = limit.components
        var patience = timeval(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        while true {
            let status = withUnsafePointer(to: address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            if status == 0 { return descriptor }
            let code = errno
            if code == EINTR, ContinuousClock.now < end { continue }
            close(descriptor)
            switch code {
            case EAGAIN, EINTR: throw .noAnswer
            case ENOENT, ENOTDIR, ECONNREFUSED: throw .noService(socket)
            // The service is there and cannot be reached now.
            default: throw .failed(.verbatim(SystemError(number: code).text))
            }
        }
    }

    private func send(_ bytes: [UInt8], to descriptor: Int32, until end: ContinuousClock.Instant) throws(SystemCredentialFailure) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count > 0 {
                sent += count
            } else if errno == EAGAIN {
                try wait(for: POLLOUT, on: descriptor, until: end)
            } else if errno != EINTR {
                throw .unreadable
            }
        }
    }

    /// Returns the bytes before the NUL byte. More after it, or an end before it, is no answer to one call.
    private func receive(from descriptor: Int32, until end: ContinuousClock.Instant) throws(SystemCredentialFailure) -> [UInt8] {
        var answer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        defer { chunk.zeroize() }
        while true {
            let count = recv(descriptor, &chunk, chunk.count, Int32(MSG_DONTWAIT))
            if count > 0 {
                answer += chunk[..<count]
                guard answer.count <= Self.answerLimit else { throw .unreadable }
                guard let nul = chunk[..<count].firstIndex(of: 0) else { continue }
                guard nul == count - 1 else { throw .unreadable }
                answer.removeLast()
                return answer
            }
            if count < 0, errno == EINTR { continue }
            guard count < 0, errno == EAGAIN else { throw .unreadable }
            try wait(for: POLLIN, on: descriptor, until: end)
        }
    }

    private func wait(
        for event: Int32, on descriptor: Int32, until end: ContinuousClock.Instant
    ) throws(SystemCredentialFailure) {
        let left = (end - .now) / .milliseconds(1)
        guard left >= 1 else { throw .noAnswer }
        var poller = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        _ = poll(&poller, 1, Int32(min(left, 60_000)))
    }
}
