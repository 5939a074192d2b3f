import AuthModel
import NIOCore
import NIOHTTP1
import NIOPosix

/// An HTTP response.
struct Reply {
    var status: Int
    var headers: [(name: String, value: String)]
    var body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }
    var location: String? { header("location") }

    func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }

    func json() throws -> JSONValue { try JSONValue(strict: text) }

    /// The query parameters of the redirect URL.
    var locationParameters: [(name: String, value: String)] {
        guard let location, let mark = location.firstIndex(of: "?") else { return [] }
        return FormEncoding.decode(location[location.index(after: mark)...]) ?? []
    }

    func locationParameter(_ name: String) -> String? { locationParameters.first { $0.name == name }?.value }
}

/// One HTTP exchange on its own connection. It follows no redirect, keeps no cookie and inflates nothing.
enum Wire {
    enum Method: String {
        case get = "GET"
        case post = "POST"
        case delete = "DELETE"
    }

    /// - Returns: nil if the connection was closed before a response began.
    static func ask(
        _ method: Method, _ url: String, headers: [(String, String)] = [], body: String? = nil
    ) async throws -> Reply? {
        guard let target = WebURL(url) else { throw WireError(problem: "no URL: \(url)") }
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: target.origin.host == "localhost" ? "127.0.0.1" : target.origin.host, port: target.origin.port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    return try NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>(wrappingChannelSynchronously: channel)
                }
            }
        do {
            return try await channel.executeThenClose { inbound, outbound in
                let path = (target.path.isEmpty ? "/" : target.path) + (target.query.map { "?" + $0 } ?? "")
                var fields = HTTPHeaders([("Host", target.origin.authority), ("Connection", "close")] + headers)
                if let body { fields.add(name: "Content-Length", value: String(body.utf8.count)) }
                let head = HTTPRequestHead(version: .http1_1, method: HTTPMethod(rawValue: method.rawValue), uri: path, headers: fields)
                let content = body.map { [HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(string: $0)))] } ?? []
                // In one write, because the server may answer and close once it has the last byte of the body.
                try await outbound.write(contentsOf: [.head(head)] + content + [.end(nil)])
                var reply: Reply?
                var collected = ByteBuffer()
                for try await part in inbound {
                    switch part {
                    case .head(let head):
                        reply = Reply(status: Int(head.status.code), headers: head.headers.map { ($0.name, $0.value) }, body: [])
                    case .body(var bytes): collected.writeBuffer(&bytes)
                    case .end: break
                    }
                }
                reply?.body = Array(collected.readableBytesView)
                return reply
            }
        } catch is HTTPParserError {
            return nil
        } catch is IOError {
            return nil
        }
    }

    static func get(_ url: String, headers: [(String, String)] = []) async throws -> Reply {
        guard let reply = try await ask(.get, url, headers: headers) else { throw WireError(problem: "no answer from \(url)") }
        return reply
    }

    static func post(_ url: String, _ fields: [(String, String)], headers: [(String, String)] = []) async throws -> Reply {
        let type = [("Content-Type", "application/x-www-form-urlencoded")]
        guard let reply = try await ask(.post, url, headers: headers + type, body: FormEncoding.encode(fields)) else {
            throw WireError(problem: "no answer from \(url)")
        }
        return reply
    }
}

struct WireError: Error, CustomStringConvertible {
    var problem: String
    var description: String { problem }
}
