internal import AuthModel
internal import OAuth

/// The session of the bridge at the server: its address, identifier and protocol version.
struct BridgeSession: Sendable {
    /// The address for messages; the older protocol with two addresses names it.
    var address: WebURL
    /// The number of the one stream with all answers, if the server speaks the protocol of 2024-11-05.
    var stream: Int?
    /// Whether messages to the server have an address of their own, and all answers come in one stream.
    var isTwoAddress: Bool { stream != nil }
    /// The session's identifier, if the server gave one.
    var id: String?
    /// The version that `initialize` settled.
    var version: String?
    /// The version of the stateless protocol that the client's requests name in themselves; `nil` once the client opens a session.
    var ownVersion: String?
    /// The request that opened the session, to open another one when the server has lost it.
    var opening: RPCMessage?
    /// Grows with each session of the server.
    var number = 0
    var headers = StatelessHeaders()

    init(address: WebURL) { self.address = address }

    /// Returns a request that carries a message.
    func post(_ message: RPCMessage) -> WebRequest {
        var request = WebRequest(
            method: .post, url: address,
            headers: [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")], body: message.bytes)
        // A notification need not name a version, but its header fields are required all the same.
        if let version = message.ownVersion ?? ownVersion {
            request.headers.append(("MCP-Protocol-Version", StatelessHeaders.encoded(version)))
            request.headers += headers.fields(for: message)
        } else if !message.isOpening {
            addSession(to: &request)
        }
        return request
    }

    /// Returns a request for the stream of the server's own messages, or for the rest of a stream.
    func listen(after lastEvent: String? = nil) -> WebRequest {
        var request = WebRequest(method: .get, url: address, headers: [("Accept", "text/event-stream"), ("Cache-Control", "no-store")])
        addSession(to: &request)
        if let lastEvent { request.headers.append(("Last-Event-ID", lastEvent)) }
        return request
    }

    /// Returns the request that ends the session; `nil` if there is none.
    func ending() -> WebRequest? {
        guard id != nil else { return nil }
        var request = WebRequest(method: .delete, url: address, headers: [("Accept", "application/json")])
        addSession(to: &request)
        return request
    }

    /// Whether a server that answers 404 to the message has lost the session.
    func isLost(by message: RPCMessage) -> Bool {
        (id != nil || isTwoAddress) && message.ownVersion == nil && !message.isOpening
    }

    private func addSession(to request: inout WebRequest) {
        if let id { request.headers.append(("Mcp-Session-Id", id)) }
        if let version { request.headers.append(("MCP-Protocol-Version", version)) }
    }

    /// Takes the identifier in the answer to `initialize`. Only visible ASCII is allowed.
    mutating func begin(id: String?) {
        number += 1
        let isValid = id.map { (1...1024).contains($0.utf8.count) && $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } } ?? false
        self.id = isValid ? id : nil
        version = nil
    }
}

extension RPCMessage {
    /// Whether the message opens a session.
    var isOpening: Bool { kind.isOpening }
}
