internal import AuthModel
internal import NIOHTTP1

/// What a client wants its connection to become (RFC 9110 section 7.8).
enum ProxyUpgrade: Equatable {
    /// The request stays in HTTP.
    case none
    /// The opening handshake of a WebSocket (RFC 6455 section 4.1).
    case webSocket
    /// A handshake that is not valid. It is refused here, so that server and proxy cannot disagree about where it ends.
    case invalid
    case otherProtocol

    init(_ head: HTTPRequestHead) {
        let headers = head.headers
        guard headers.contains(name: "Upgrade") else {
            self = .none
            return
        }
        guard headers[canonicalForm: "Upgrade"].map({ $0.asciiLowercased() }) == ["websocket"] else {
            self = .otherProtocol
            return
        }
        let keys = headers["Sec-WebSocket-Key"]
        let isWhole =
            head.method == .GET && head.version == .http1_1
            && headers[canonicalForm: "Connection"].contains { $0.asciiLowercased() == "upgrade" }
            && !headers.contains(name: "Content-Length") && !headers.contains(name: "Transfer-Encoding")
        self = isWhole && keys.count == 1 && keys[0].isKey && headers["Sec-WebSocket-Version"].count == 1 ? .webSocket : .invalid
    }
}

extension String {
    /// Whether the text is 16 bytes in base64.
    fileprivate var isKey: Bool {
        let isLetter = { @Sendable (byte: UInt8) in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "+"), UInt8(ascii: "/"):
                true
            default: false
            }
        }
        return utf8.count == 24 && hasSuffix("==") && utf8.prefix(22).allSatisfy(isLetter)
    }
}
