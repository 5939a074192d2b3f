package import AuthModel
internal import Localization

/// Leading the user of a client to the page where a sign-in starts, if the client can show the address of a page: elicitation in URL mode
/// (2025-11-25 and 2026-07-28). Other clients get an error that names the command.
extension Bridge {
    /// Answers a request that needs a sign-in with the address of the page for it. Returns false if there is none, or the client cannot
    /// show it.
    func answerWithPage(_ message: RPCMessage, _ failure: AuthFailure) async -> Bool {
        guard case .request(let id, let method) = message.kind, waiting[id.text]?.isCancelled == false,
            let form = pageForm(of: message, method), let offer = await connection.credentials.signInPage(for: failure)
        else { return false }
        let text = UserMessage("mcp.sign_in_at_page", ["reason": failure.message]).english
        let answer: [UInt8]
        switch form {
        case .error:
            let elicitation = JSONValue.members(
                ("mode", "url"), ("elicitationId", .string(offer.id)), ("url", .string(offer.address.text)), ("message", .string(text)))
            // The error keeps its text, for clients that do not expect this kind here.
            var error = RPCError.failure(failure)
            (error.code, error.data) = (RPCError.pageRequired, ["elicitations": [elicitation]])
            answer = error.line(answering: id)
        case .result:
            guard let result = ResumedRequest.result(leadingTo: offer.address, text, of: message) else { return false }
            answer = Array(JSONValue.members(("jsonrpc", "2.0"), ("id", id), ("result", result)).text.utf8)
        }
        let isWanted = waiting[id.text]?.isCancelled == false
        if finishWaiting(for: id), isWanted {
            await write(answer)
            if form == .error { announceEnd(of: offer) }
        }
        return true
    }

    /// The form in which a client learns of a page.
    private enum PageForm {
        /// By an error, and a notification when the user has signed in (2025-11-25).
        case error
        /// By a result that asks for input, after which it sends the request again (2026-07-28).
        case result
    }

    /// Returns the form in which the client can learn of a page in answer to a message; `nil` if there is none.
    private func pageForm(of message: RPCMessage, _ method: String) -> PageForm? {
        let params = message.json["params"]
        if message.ownVersion != nil {
            let capabilities = params?["_meta"]?["io.modelcontextprotocol/clientCapabilities"]
            return ResumedRequest.methods.contains(method) && capabilities.showsPages ? .result : nil
        }
        // The client's capabilities belong to a session, whose version is known once it is open.
        let opening = message.isOpening ? params : session.opening?.json["params"]
        let version = message.isOpening ? params?["protocolVersion"]?.string : session.version
        return version == "2025-11-25" && (opening?["capabilities"]).showsPages ? .error : nil
    }

    /// Notifies the client when the user has signed in at a page, once.
    private func announceEnd(of offer: SignInOffer) {
        guard announced[offer.id] == nil else { return }
        announced[offer.id] = Task {
            if await connection.credentials.signInEnded(offer.id), !Task.isCancelled {
                let end = JSONValue.members(
                    ("jsonrpc", "2.0"), ("method", "notifications/elicitation/complete"),
                    ("params", ["elicitationId": .string(offer.id)]))
                await write(Array(end.text.utf8))
            }
            announced[offer.id] = nil
        }
    }
}

extension JSONText? {
    /// Whether the capabilities of a client say that it shows the addresses of pages.
    fileprivate var showsPages: Bool { self?["elicitation"]?["url"]?.isObject ?? false }
}

extension RPCError {
    /// The code of an error that names pages (2025-11-25).
    fileprivate static let pageRequired = -32042
}

/// A request of the stateless protocol that a client sends again after the bridge has led its user to a page. The client returns what the
/// bridge gave it; the server must not see that.
struct ResumedRequest {
    /// The request for the server, as it was before the bridge asked.
    let message: RPCMessage
    /// Whether the user agreed to open the page.
    let isAccepted: Bool

    /// The requests that may be answered with a request for input (MRTR, Supported Requests).
    static let methods: Set = ["prompts/get", "resources/read", "tools/call"]

    private static let key = "yett_sign_in"
    /// The prefix of the bridge's own state. After it come the members ``kept`` of the client's request, as JSON.
    private static let mark = "yett sign-in "
    private static let kept = ["inputResponses", "requestState"]
    /// The maximum size of that JSON in bytes.
    private static let keptLimit = 256 << 10
    private static let depth = 512

    /// Reads a request; `nil` if it does not continue one that the bridge has answered.
    init?(_ message: RPCMessage) {
        guard message.ownVersion != nil, let params = message.json["params"], let state = params["requestState"]?.string,
            state.hasPrefix(Self.mark), let before = try? JSONText(strict: Array(state.dropFirst(Self.mark.count).utf8), depth: Self.depth)
        else { return nil }
        isAccepted = params["inputResponses"]?[Self.key]?["action"]?.string == "accept"
        let original = message.json.setting(Self.kept.map { ($0, before[$0]?.text) }, in: params)
        guard let message = try? RPCMessage(original) else { return nil }
        self.message = message
    }

    /// Returns the result that asks the client to lead its user to a page; `nil` for a request whose own state is too large to be kept.
    static func result(leadingTo address: WebURL, _ text: String, of message: RPCMessage) -> JSONValue? {
        let state = state(of: message)
        guard state.utf8.count <= keptLimit else { return nil }
        let elicitation: JSONValue = [
            "method": "elicitation/create",
            "params": .members(("mode", "url"), ("message", .string(text)), ("url", .string(address.text))),
        ]
        return .members(
            ("resultType", "input_required"), ("inputRequests", .object([.init(key, elicitation)])), ("requestState", .string(mark + state))
        )
    }

    private static func state(of message: RPCMessage) -> String {
        let members = kept.compactMap { name in
            message.json["params"]?[name].map { "\"\(name)\":\(String(decoding: $0.text, as: UTF8.self))" }
        }
        return "{\(members.joined(separator: ","))}"
    }
}

/// A page where the user can start a sign-in.
package struct SignInOffer: Equatable, Sendable {
    /// Identifies the sign-in until it has ended.
    package let id: String
    /// The address of the page.
    package let address: WebURL

    /// Creates an offer.
    package init(id: String, address: WebURL) { (self.id, self.address) = (id, address) }
}
