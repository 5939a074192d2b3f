import AuthModel
import NIOCore
import NIOHTTP1

/// The agent's answer to a request, while it arrives.
struct AgentReply: Sendable {
    private(set) var status = 0
    /// Whether a part is still missing.
    private(set) var isOpen = true
    /// Whether the agent takes another request on the connection.
    private(set) var keepsConnection = false
    private var bytes: [UInt8] = []

    init() {}

    /// A complete answer.
    init(status: Int, bytes: [UInt8]) {
        (self.status, self.bytes) = (status, bytes)
        isOpen = false
    }

    mutating func take(_ part: HTTPClientResponsePart) throws(AgentConnection.Failure) {
        switch part {
        // Ignore interim responses.
        case .head(let head):
            status = head.status.code >= 200 ? Int(head.status.code) : 0
            keepsConnection = head.isKeepAlive
        case .body(let buffer):
            guard bytes.count + buffer.readableBytes <= AgentProtocol.answerLimit else { throw .unusable(AgentConnection.invalidAnswer) }
            bytes += buffer.readableBytesView
        case .end: isOpen = status == 0
        }
    }

    /// Returns the document. Throws if the answer is incomplete, a failure, or not in the protocol's form.
    func document() throws(AgentConnection.Failure) -> JSONValue {
        guard !isOpen else { throw .unusable(AgentConnection.gone) }
        guard let document = try? JSONValue(strict: bytes, limits: .answer) else { throw .unusable(AgentConnection.invalidAnswer) }
        guard status == 200 else {
            guard let failure = document["error"].flatMap({ try? AuthFailure(wire: $0) }) else {
                throw .unusable(AgentConnection.invalidAnswer)
            }
            if [404, 405].contains(status), failure.kind == .usage { throw .unusable(AgentConnection.outdated) }
            throw .unusable(failure)
        }
        return document
    }
}
