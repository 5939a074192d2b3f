import NIOCore
import NIOHTTP1

/// Writes the agent's HTTP/1.1 responses (RFC 9112).
enum ResponseEncoding {
    /// An interim response: the request is still being answered (RFC 9110 section 15.2).
    static let processing = ByteBuffer(string: "HTTP/1.1 102 Processing\r\n\r\n")

    /// The end of an event stream: the last chunk (RFC 9112 section 7.1).
    static let endOfEvents = ByteBuffer(string: "0\r\n\r\n")

    /// The head of an event stream, which is sent in chunks.
    static let eventsHead = ByteBuffer(
        string: start(200, type: "text/event-stream") + "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n")

    /// The media type of most responses.
    static let documentType = "application/json"

    private static let success = start(200, type: documentType)

    /// Returns a complete response.
    ///
    /// - Parameter fields: more header fields, of visible ASCII characters.
    static func response(
        _ status: Int, _ body: [UInt8], type: String, fields: [(name: String, value: String)] = [], keepsAlive: Bool,
        _ allocator: ByteBufferAllocator
    ) -> ByteBuffer {
        var buffer = allocator.buffer(capacity: 256 + body.count)
        buffer.writeString(status == 200 && type == documentType ? success : start(status, type: type))
        for field in fields { buffer.writeString("\(field.name): \(field.value)\r\n") }
        buffer.writeStaticString("Content-Length: ")
        buffer.writeString(String(body.count))
        buffer.writeStaticString(keepsAlive ? "\r\nConnection: keep-alive\r\n\r\n" : "\r\nConnection: close\r\n\r\n")
        buffer.writeBytes(body)
        return buffer
    }

    /// Returns a server-sent event (HTML standard, section 9.2) in a chunk of its own.
    static func event(_ type: String, _ data: String) -> ByteBuffer {
        let text = "event: \(type)\ndata: \(data)\n\n"
        return ByteBuffer(string: String(text.utf8.count, radix: 16) + "\r\n" + text + "\r\n")
    }

    private static func start(_ status: Int, type: String) -> String {
        "HTTP/1.1 \(status) \(HTTPResponseStatus(statusCode: status).reasonPhrase)\r\nContent-Type: \(type)\r\nCache-Control: no-store\r\n"
            + "\(AgentProtocol.versionField): \(AgentProtocol.version)\r\n"
    }
}
