internal import NIOCore
internal import NIOHTTP1

/// What the proxy answers in its own name. The connection then ends.
enum ProxyAnswer {
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
