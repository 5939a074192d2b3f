internal import CLauncher

/// A connection to the user's agent.
struct AgentSocket {
    /// The process identifier of the agent, from the kernel.
    let process: pid_t
    private let descriptor: Int32

    /// The result of reading a response.
    enum ReceiveResult {
        /// A complete response. `count` is the number of bytes in the buffer, including interim responses.
        case complete(RawResponse, count: Int)
        /// The agent is connected but did not respond in time.
        case silent
        /// The connection closed before the response was complete, or the response is too large.
        case truncated
    }

    /// The maximum time without data from the agent, in seconds. A busy agent sends an interim response every five seconds.
    static let silenceTimeout = 20
    /// The maximum total time of a request, in seconds.
    static let totalTimeout = 300

    /// Connects to the agent; returns `nil` if no agent of this user is running.
    init?(_ environment: LauncherEnvironment) {
        var address = sockaddr_un()
        guard environment.write(address: &address) else { return nil }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        // Limits the time to connect to five seconds.
        var turn = timeval(tv_sec: 5, tv_usec: 0)
        _ = setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &turn, socklen_t(MemoryLayout<timeval>.size))
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0, let socket = AgentSocket(connected: descriptor) else {
            CLauncher.close(descriptor)
            return nil
        }
        self = socket
    }

    /// Wraps a connected socket; returns `nil` if the other end belongs to another user.
    ///
    /// - Parameter silenceTimeout: the maximum time without data from the agent, in milliseconds.
    init?(connected descriptor: Int32, silenceTimeout: Int = silenceTimeout * 1000) {
        // The fields of `struct ucred`, which the Glibc module does not export: process, user, group.
        var peer: (pid_t, uid_t, gid_t) = (0, .max, 0)
        var size = socklen_t(MemoryLayout.size(ofValue: peer))
        var limit = timeval(tv_sec: silenceTimeout / 1000, tv_usec: silenceTimeout % 1000 * 1000)
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0, peer.1 == geteuid(),
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size)) == 0
        else { return nil }
        process = peer.0
        self.descriptor = descriptor
    }

    func close() { CLauncher.close(descriptor) }

    /// Sends a request in one call; returns false on failure.
    func send(_ request: UnsafeRawBufferPointer) -> Bool {
        CLauncher.send(descriptor, request.baseAddress, request.count, Int32(MSG_NOSIGNAL)) == request.count
    }

    /// Reads until the response is complete.
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> ReceiveResult {
        guard let base = buffer.baseAddress else { return .truncated }
        let end = Self.now + Self.totalTimeout
        var count = 0
        while count < buffer.count {
            let got = read(descriptor, base + count, buffer.count - count)
            if got < 0, claunch_errno() == EINTR {
                if Self.now < end { continue }
                return .silent
            }
            if got < 0, claunch_errno() == EAGAIN { return .silent }
            guard got > 0 else { return .truncated }
            count += got
            if let answer = RawResponse(in: UnsafeRawBufferPointer(start: base, count: count)) {
                return .complete(answer, count: count)
            }
            // An agent that keeps sending without completing its response counts as silent.
            guard Self.now < end else { return .silent }
        }
        return .truncated
    }

    /// Seconds of the monotonic clock.
    private static var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec
    }
}

/// The positions of the parts of a complete agent response in a raw buffer.
///
/// Interim responses (1xx), which report that the agent is still working, precede the response and are not part of it.
struct RawResponse {
    /// The status code, from 200 to 999.
    let status: Int
    /// The byte range of the head: the status line and the header fields.
    let head: Range<Int>
    /// The byte range of the body.
    let body: Range<Int>

    /// Parses a response; returns `nil` if it is incomplete or not in the agent's format: a status line, and a body of the announced
    /// length.
    init?(in bytes: UnsafeRawBufferPointer) {
        var start = 0
        while true {
            guard Self.starts(bytes, start, "HTTP/1.1 "), let code = Self.number(bytes, from: start + 9, digits: 3),
                start + 12 < bytes.count, bytes[start + 12] == UInt8(ascii: " "),
                let head = Self.find("\r\n\r\n", in: bytes, from: start, to: bytes.count)
            else { return nil }
            guard code >= 200 else {
                guard code >= 100 else { return nil }
                start = head + 4
                continue
            }
            guard let field = Self.find("\r\nContent-Length: ", in: bytes, from: start, to: head),
                let length = Self.length(bytes, from: field + 18, to: head), bytes.count == head + 4 + length
            else { return nil }
            status = code
            self.head = start..<head
            body = (head + 4)..<bytes.count
            return
        }
    }

    /// Returns the value of a header field that is a number. `field` is its name with the line break before it and the colon after it.
    func number(of field: StaticString, in bytes: UnsafeRawBufferPointer) -> Int? {
        guard let start = Self.find(field, in: bytes, from: head.lowerBound, to: head.upperBound) else { return nil }
        return Self.length(bytes, from: start + field.utf8CodeUnitCount, to: head.upperBound)
    }

    /// Returns the byte range of the token; `nil` if the response is not in the simple form: status 200, and a body that starts with a
    /// token of visible ASCII characters without quotes and backslashes.
    func token(in answer: UnsafeRawBufferPointer) -> Range<Int>? {
        guard status == 200, !body.isEmpty, Self.starts(answer, body.lowerBound, "{\"token\":\""),
            answer[answer.count - 1] == UInt8(ascii: "}")
        else { return nil }
        let start = body.lowerBound + 10
        var end = start
        while end < answer.count, (0x21...0x7E).contains(answer[end]), answer[end] != UInt8(ascii: "\""), answer[end] != UInt8(ascii: "\\")
        {
            end += 1
        }
        guard end > start, Self.starts(answer, end, "\",\"token_type\":\"") else { return nil }
        // The full program explains that a token bound to a key cannot be used alone.
        return Self.isBound(answer, end + 16) ? nil : start..<end
    }

    /// Returns whether the token type is DPoP, in any case.
    private static func isBound(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> Bool {
        guard index + 5 <= bytes.count else { return false }
        return bytes[index] | 0x20 == UInt8(ascii: "d") && bytes[index + 1] | 0x20 == UInt8(ascii: "p")
            && bytes[index + 2] | 0x20 == UInt8(ascii: "o") && bytes[index + 3] | 0x20 == UInt8(ascii: "p")
            && bytes[index + 4] == UInt8(ascii: "\"")
    }

    /// Parses the length of the body, whose digits must end the field.
    private static func length(_ bytes: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Int? {
        var length = 0
        var index = start
        while index < end, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]), length < 1 << 20 {
            length = length * 10 + Int(bytes[index] - UInt8(ascii: "0"))
            index += 1
        }
        return index > start && (index == end || bytes[index] == UInt8(ascii: "\r")) ? length : nil
    }

    private static func number(_ bytes: UnsafeRawBufferPointer, from start: Int, digits: Int) -> Int? {
        guard start + digits <= bytes.count else { return nil }
        var number = 0
        for index in start..<(start + digits) {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) else { return nil }
            number = number * 10 + Int(bytes[index] - UInt8(ascii: "0"))
        }
        return number
    }

    private static func starts(_ bytes: UnsafeRawBufferPointer, _ index: Int, _ text: StaticString) -> Bool {
        guard index + text.utf8CodeUnitCount <= bytes.count, let base = bytes.baseAddress else { return false }
        return memcmp(base + index, text.utf8Start, text.utf8CodeUnitCount) == 0
    }

    private static func find(_ text: StaticString, in bytes: UnsafeRawBufferPointer, from: Int, to end: Int) -> Int? {
        var index = from
        while index + text.utf8CodeUnitCount <= end {
            if starts(bytes, index, text) { return index }
            index += 1
        }
        return nil
    }
}

/// The parts of an agent's answer to a command: standard output, standard error and the exit status.
struct AgentCommandResponse {
    let status: Int32
    /// The byte range of standard output.
    let output: Range<Int>
    /// The byte range of standard error.
    let diagnostics: Range<Int>

    /// Parses the answer; returns `nil` if the command was not run.
    init?(_ answer: RawResponse, in bytes: UnsafeRawBufferPointer) {
        guard answer.status == 200, let status = answer.number(of: "\r\nYett-Exit-Status: ", in: bytes),
            let length = answer.number(of: "\r\nYett-Output-Length: ", in: bytes), length <= answer.body.count, status < 256
        else { return nil }
        self.status = Int32(status)
        output = answer.body.lowerBound..<(answer.body.lowerBound + length)
        diagnostics = output.upperBound..<answer.body.upperBound
    }
}
