import NIOHTTP1

/// Decides which requests are shown to the flow at all. Pure.
struct CallbackRequestFilter: Sendable {
    enum Decision: Equatable {
        /// The raw query of what may be the provider's answer.
        case validator(query: String)
        /// The browser that leaves for the provider.
        case leave
        /// Anything else gets a page and has no effect.
        case answer(CallbackPage)
    }

    /// The path of the redirect URI, byte for byte.
    var path: String
    /// What the Host field must be, byte for byte: another one means that a foreign name was resolved to this machine.
    var authority: String

    /// Judges a request by its head; `hasBody` tells whether anything but its end came behind it.
    ///
    /// - Parameter departure: the path, without a query, from which a browser is sent on to the provider.
    func decide(_ head: HTTPRequestHead, hasBody: Bool, departure: String? = nil) -> Decision {
        guard head.version.major == 1, head.headers["host"] == [authority] else { return .answer(.notAwaited) }
        // Origin form only (RFC 9112 section 3.2.1): no absolute form, no fragment, nothing that would have to be escaped.
        guard head.uri.utf8.first == UInt8(ascii: "/"), head.uri.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") })
        else { return .answer(.notAwaited) }
        let mark = head.uri.firstIndex(of: "?") ?? head.uri.endIndex
        let isLeaving = head.uri == departure
        guard isLeaving || head.uri[..<mark] == path[...] else { return .answer(.notFound) }
        guard head.method == .GET else { return .answer(.methodNotAllowed) }
        guard !hasBody, isNavigation(head.headers) else { return .answer(.notAwaited) }
        return isLeaving ? .leave : .validator(query: String(head.uri[mark...].dropFirst()))
    }

    /// A browser that says how it fetches (Fetch Metadata) must be opening a page in a window of its own: a redirect from the
    /// provider is that; an image, frame or script's request from some page is not. Browsers that say nothing pass.
    private func isNavigation(_ headers: HTTPHeaders) -> Bool {
        headers["sec-fetch-mode"].allSatisfy { $0 == "navigate" } && headers["sec-fetch-dest"].allSatisfy { $0 == "document" }
    }
}
