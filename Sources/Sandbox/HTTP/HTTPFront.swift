import AuthModel
import HTTPTypes
import HummingbirdCore
import NIOCore
import Synchronization

/// Translates between HTTP and the values that the endpoints use.
final class HTTPFront: Sendable {
    private let table = Mutex<RouteTable?>(nil)
    private let log: RequestLog
    private let tls: TLSConnections
    private let clock: @Sendable () -> Timestamp
    private let dateSkew: @Sendable () -> Duration
    private let connections = OpenConnections()
    /// The maximum size of a request body.
    private static let bodyLimit = 1 << 20

    init(
        log: RequestLog, tls: TLSConnections, dateSkew: @escaping @Sendable () -> Duration, clock: @escaping @Sendable () -> Timestamp
    ) {
        self.log = log
        self.tls = tls
        self.dateSkew = dateSkew
        self.clock = clock
    }

    /// Sets the routes; from now on requests are answered.
    func open(with table: RouteTable) { self.table.withLock { $0 = table } }

    /// Closes the connections with responses under way.
    func closeConnections() { connections.closeAll() }

    func respond(_ request: Request, _ writer: consuming ResponseWriter, on channel: any Channel) async throws {
        connections.enter(channel)
        defer { connections.leave(channel) }
        var request = request
        let isHead = request.method == .head
        let answer: SandboxResponse
        if let body = try? await request.collectBody(upTo: Self.bodyLimit) {
            answer = await self.answer(to: request, body: Array(body.readableBytesView), isEncrypted: tls.isEncrypted(channel))
        } else {
            answer = .text("too large\n", status: 413, headers: [("Connection", "close")])
        }
        switch answer.delivery {
        case .complete: try await send(answer, withoutBody: isHead, to: writer)
        case .closesConnection:
            try await channel.close()
            throw ConnectionDropped()
        case .never:
            try await withTaskCancellationHandler {
                try await channel.closeFuture.get()
            } onCancel: {
                channel.close(promise: nil)
            }
            throw ConnectionDropped()
        }
    }

    private func answer(to request: Request, body: [UInt8], isEncrypted: Bool) async -> SandboxResponse {
        var headers = request.headers.map { (name: $0.name.rawName, value: $0.value) }
        if let host = request.head.authority { headers.insert(("host", host), at: 0) }
        let target = request.head.path ?? "/"
        let mark = target.firstIndex(of: "?")
        let isForm = request.headers[.contentType]?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true
        guard let query = FormEncoding.decode(mark.map { target[target.index(after: $0)...] } ?? ""),
            let form = isForm ? FormEncoding.decode(String(decoding: body, as: UTF8.self)) : []
        else { return .text("malformed form encoding\n", status: 400) }
        let plain = SandboxRequest(
            method: request.method.rawValue, path: String(target[..<(mark ?? target.endIndex)]), query: query, form: form, headers: headers,
            body: body)
        log.append(
            LoggedRequest(
                method: plain.method, path: plain.path, query: query, form: form, headers: headers, body: body, isEncrypted: isEncrypted,
                receivedAt: clock()))
        guard let table = table.withLock({ $0 }) else { return .text("not open yet\n", status: 503) }
        return await table.answer(to: plain)
    }

    private func send(_ answer: SandboxResponse, withoutBody: Bool, to writer: consuming ResponseWriter) async throws {
        var head = HTTPResponse(status: .init(code: answer.status))
        for field in answer.headers {
            if let name = HTTPField.Name(field.name) { head.headerFields.append(HTTPField(name: name, value: field.value)) }
        }
        head.headerFields[.date] = (clock() + dateSkew()).httpDate
        head.headerFields[.server] = "yett-sandbox"
        switch answer.body {
        case .bytes(let bytes):
            head.headerFields[.contentLength] = String(bytes.count)
            let body = withoutBody ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
            try await writer.write(response: head, body: body)
        case .padded(let opening, let filler, let count, let closing):
            var body = try await writer.writeHead(head)
            if !withoutBody {
                try await body.write(ByteBuffer(bytes: opening))
                let chunk = ByteBuffer(repeating: filler, count: 1 << 16)
                for _ in 0..<(count / chunk.readableBytes) { try await body.write(chunk) }
                try await body.write(ByteBuffer(repeating: filler, count: count % chunk.readableBytes))
                try await body.write(ByteBuffer(bytes: closing))
            }
            try await body.finish(nil)
        }
    }

    /// Ends the handling of a connection that was closed on purpose.
    private struct ConnectionDropped: Error {}
}

extension Timestamp {
    /// The time in the format of HTTP (RFC 9110 section 5.6.7): `Sat, 21 Nov 2026 08:30:00 GMT`.
    var httpDate: String {
        let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        // Such as 2026-11-21T08:30:00Z.
        let text = Array(description)
        let month = Int(String(text[5...6])).map { months[$0 - 1] } ?? ""
        let day = days[Int(max(0, seconds) / 86_400 % 7)]
        return "\(day), \(String(text[8...9])) \(month) \(String(text[0...3])) \(String(text[11...18])) GMT"
    }
}

/// The connections with a response under way.
final class OpenConnections: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var isClosing = false
    }

    private let state = Mutex(State())

    /// Adds a connection; closes it if the server is stopping.
    func enter(_ channel: any Channel) {
        let isClosing = state.withLock { state in
            state.channels[ObjectIdentifier(channel)] = channel
            return state.isClosing
        }
        if isClosing { channel.close(promise: nil) }
    }

    func leave(_ channel: any Channel) {
        state.withLock { _ = $0.channels.removeValue(forKey: ObjectIdentifier(channel)) }
    }

    /// Closes all connections, and those that are added later.
    func closeAll() {
        let channels = state.withLock { state in
            state.isClosing = true
            return Array(state.channels.values)
        }
        for channel in channels { channel.close(promise: nil) }
    }
}
