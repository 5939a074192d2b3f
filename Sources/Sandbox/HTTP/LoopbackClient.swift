import AuthModel
import NIOCore
import NIOPosix

/// An HTTP client for other servers on loopback only.
enum LoopbackClient {
    /// The maximum size of a response; client documents and token information are smaller.
    private static let limit = 1 << 16

    /// Sends one request in HTTP/1.0, so that the response has no chunks. Follows no redirects.
    ///
    /// - Returns: `nil` if the URL is not on loopback, or no complete response came within five seconds.
    static func ask(_ method: String, _ url: String, headers: [String] = [], body: String = "") async -> (status: Int, text: String)? {
        guard let target = WebURL(url), target.origin.scheme == .http, target.origin.isLoopback, target.fragment == nil else { return nil }
        let path = (target.path.isEmpty ? "/" : target.path) + (target.query.map { "?" + $0 } ?? "")
        let lines =
            ["\(method) \(path) HTTP/1.0", "Host: \(target.origin.authority)", "Connection: close", "Content-Length: \(body.utf8.count)"]
            + headers
        let request = lines.joined(separator: "\r\n") + "\r\n\r\n" + body
        guard let bytes = try? await exchange(request, with: target.origin) else { return nil }
        return answer(in: bytes)
    }

    private static func exchange(_ request: String, with origin: Origin) async throws -> [UInt8] {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: origin.host, port: origin.port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        let deadline = channel.channel.eventLoop.scheduleTask(in: .seconds(5)) { channel.channel.close(promise: nil) }
        defer { deadline.cancel() }
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: request))
            var bytes: [UInt8] = []
            for try await part in inbound where bytes.count <= limit { bytes += part.readableBytesView }
            return bytes
        }
    }

    private static func answer(in bytes: [UInt8]) -> (status: Int, text: String)? {
        guard bytes.count <= limit, let text = String(validating: bytes, as: UTF8.self),
            let end = text.firstRange(of: "\r\n\r\n"), text.hasPrefix("HTTP/1."),
            let status = text.split(separator: " ", maxSplits: 2).dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        return (status, String(text[end.upperBound...]))
    }
}
