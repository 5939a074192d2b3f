import NIOHTTP1

/// Decides which requests reach the flow. Pure.
struct CallbackRequestFilter: Sendable {
    enum Decision: Equatable {
        /// The request may be the provider's response; `query` is its raw query.
        case validate(query: String)
        /// The browser asks for the one-time redirect to the provider.
        case redirectToProvider
        /// Any other request. It gets this page and has no effect.
        case answer(CallbackPage)
    }

    /// The path of the redirect URI, byte for byte.
    var path: String
    /// The exact value required in the Host field. Another value means that a foreign host name resolves to this machine.
    var authority: String

    /// Decides on a request by its head.
    ///
    /// - Parameters:
    ///   - hasBody: whether the request has a body.
    ///   - redirectPath: the path, without a query, that redirects the browser to the provider.
    func decide(_ head: HTTPRequestHead, hasBody: Bool, redirectPath: String? = nil) -> Decision {
        guard head.version.major == 1, head.headers["host"] == [authority] else { return .answer(.unexpectedCallback) }
        // Accepts only the origin form (RFC 9112 section 3.2.1): no absolute form, no fragment, no character that needs escaping.
        guard head.uri.utf8.first == UInt8(ascii: "/"), head.uri.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") })
        else { return .answer(.unexpectedCallback) }
        let mark = head.uri.firstIndex(of: "?") ?? head.uri.endIndex
        let isRedirectPath = head.uri == redirectPath
        guard isRedirectPath || head.uri[..<mark] == path[...] else { return .answer(.notFound) }
        guard head.method == .GET else { return .answer(.methodNotAllowed) }
        guard !hasBody, isNavigation(head.headers) else { return .answer(.unexpectedCallback) }
        return isRedirectPath ? .redirectToProvider : .validate(query: String(head.uri[mark...].dropFirst()))
    }

    /// Returns whether the request is a top-level navigation, or comes from a browser that does not send Fetch Metadata. The provider's
    /// redirect is a navigation; a request by an image, frame or script of another page is not.
    private func isNavigation(_ headers: HTTPHeaders) -> Bool {
        headers["sec-fetch-mode"].allSatisfy { $0 == "navigate" } && headers["sec-fetch-dest"].allSatisfy { $0 == "document" }
    }
}
