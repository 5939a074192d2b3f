internal import NIOCore
internal import NIOHTTP1

/// What the proxy answers in its own name. The connection then ends.
enum ProxyAnswer {
    /// The answer to programs of other users.
    static let foreign: ByteBuffer = {
        let text = "yett proxy: only programs of the user who started it may use it\n"
        let head = "HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n"
        return ByteBuffer(string: head + "Content-Length: \(text.utf8.count)\r\n\r\n" + text)
    }()

    /// Returns the parts of the answer without the last one.
    static func parts(_ status: Int, _ text: String) -> [HTTPServerResponsePart] {
        let body = ByteBuffer(string: "yett proxy: \(text)\n")
        let headers: HTTPHeaders = [
            "Content-Type": "text/plain; charset=utf-8", "Content-Length": "\(body.readableBytes)", "Connection": "close",
            "Cache-Control": "no-store",
        ]
        return [.head(HTTPResponseHead(version: .http1_1, status: .init(statusCode: status), headers: headers)), .body(.byteBuffer(body))]
    }
}
