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
    /// The exact value required in the Host field.
    var authority: String

    /// Decides on a request.
    ///
    /// - Parameter redirectPath: the path, without a query, that redirects the browser to the provider.
    func decide(_ request: PageRequest, redirectPath: String? = nil) -> Decision {
        guard request.isFor(authority: authority) else { return .answer(.unexpectedCallback) }
        let target = request.head.uri
        let mark = target.firstIndex(of: "?") ?? target.endIndex
        let isRedirectPath = target == redirectPath
        guard isRedirectPath || target[..<mark] == path[...] else { return .answer(.notFound) }
        guard request.head.method == .GET else { return .answer(.methodNotAllowed) }
        guard request.body.isEmpty, request.isNavigation else { return .answer(.unexpectedCallback) }
        return isRedirectPath ? .redirectToProvider : .validate(query: String(target[mark...].dropFirst()))
    }
}
