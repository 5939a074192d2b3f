internal import AuthModel
internal import NIOHTTP1
internal import OAuth

/// Decides which requests the proxy passes on, and to which URL.
///
/// On TCP, every program of the user can connect (``ProxyServer`` refuses other users), and every web page can send requests. So a request
/// must know the secret first part of the path, name this address as its host, and come from no web page.
struct ProxyGate: Sendable {
    /// The origin that requests go to.
    let target: WebURL
    /// The clients' way to the proxy.
    let entry: Entry

    /// A way by which clients reach the proxy.
    enum Entry {
        /// A Unix socket, which only the user can open.
        case socket
        /// A port on 127.0.0.1, with the secret first part of the path.
        case port(Int, secret: Secret)
        /// A connection to the target that was opened on the way: ``InterceptingProxy`` has checked who it is from.
        case opened
    }

    /// The reason why a request is not passed on.
    enum Refusal: Equatable {
        /// It does not name this address, or comes from a web page.
        case foreign
        /// The secret part of the path is missing.
        case unknownPath
        /// The path could mean different things to the proxy and to the server.
        case ambiguousPath
        /// It names another host than its connection.
        case otherHost
    }

    /// Returns the URL that a request goes to.
    ///
    /// - Parameters:
    ///   - uri: the request target, in origin form (RFC 9112 section 3.2.1).
    ///   - hosts: the values of `Host`.
    ///   - isFromBrowserPage: whether it has `Origin`, or another field that only a browser sends for a page.
    func target(of uri: String, hosts: [String], isFromBrowserPage: Bool) -> Result<WebURL, RefusalError> {
        guard uri.hasPrefix("/"), !uri.utf8.contains(UInt8(ascii: "#")) else { return .failure(RefusalError(.ambiguousPath)) }
        var path = uri[...]
        switch entry {
        case .socket: break
        case .opened:
            // With and without the scheme's own port, as clients write it.
            guard hosts.count == 1, namesTarget(hosts[0]) else {
                return .failure(RefusalError(.otherHost))
            }
        case .port(let port, let secret):
            let addresses = ["127.0.0.1:\(port)", "localhost:\(port)"]
            guard !isFromBrowserPage, hosts.count == 1, addresses.contains(hosts[0].asciiLowercased()) else {
                return .failure(RefusalError(.foreign))
            }
            let first = path.dropFirst().prefix { $0 != "/" && $0 != "?" }
            guard Secret(String(first)) == secret else { return .failure(RefusalError(.unknownPath)) }
            path = path.dropFirst(first.utf8.count + 1)
            if path.first != "/" { path = "/" + path }
        }
        guard let url = WebURL(target.origin.description + path), url.hasUnambiguousPath, let normal = url.normalized,
            normal.origin == target.origin, normal.isIn(target)
        else { return .failure(RefusalError(.ambiguousPath)) }
        return .success(normal)
    }

    /// Whether a value of `Host` is the target's, with or without the port that the scheme has anyway.
    private func namesTarget(_ host: String) -> Bool {
        !host.utf8.contains { "/?#".utf8.contains($0) } && WebURL("https://" + host)?.origin == target.origin
    }

    struct RefusalError: Error, Equatable {
        let refusal: Refusal
        init(_ refusal: Refusal) { self.refusal = refusal }
    }

    /// Returns a redirect's target with this proxy's address in place of the server's; unchanged if it leads elsewhere.
    func local(_ location: String, from url: WebURL) -> String {
        // The client knows the server by its own address.
        if case .opened = entry { return location }
        guard let next = url.resolving(location), next.origin == target.origin else { return location }
        let rest = String(next.text.dropFirst(target.origin.description.count))
        guard case .port(let port, let secret) = entry else { return rest }
        return "http://127.0.0.1:\(port)/\(secret.reveal())\(rest.hasPrefix("/") ? rest : "/" + rest)"
    }
}

extension WebURL {
    /// Whether the path is the folder's own or below it.
    fileprivate func isIn(_ folder: WebURL) -> Bool {
        let base = folder.path.hasSuffix("/") ? folder.path : folder.path + "/"
        return path == folder.path || path.hasPrefix(base)
    }
}

/// The text that a program sends in place of a token, if it does not start without one. The proxy replaces it.
package enum ProxyPlaceholder {
    /// The text.
    package static let text = "yett"
    /// The variable that has it.
    package static let variable = "YETT_PLACEHOLDER"

    /// The fields that do not tell whose credentials a request has.
    private static let shared: Set = ["cookie", "dpop", "proxy-authorization"]

    /// Whether a request has credentials of the client's own, in one of these fields.
    static func hasOthers(_ headers: HTTPHeaders, in fields: Set<String>) -> Bool {
        headers.contains { name, value in
            let name = name.asciiLowercased()
            return fields.contains(name) && !shared.contains(name) && !isPlaceholder(value)
        }
    }

    /// Whether a value is the text, alone or after a scheme, also as the password of Basic authentication (RFC 7617) or as its user name
    /// without a password.
    static func isPlaceholder(_ value: String) -> Bool {
        let words = value.split { $0 == " " || $0 == "\t" }
        guard words.count == 2 else { return words == [text[...]] }
        guard words[0].asciiLowercased() == "basic" else { return words[1] == text }
        guard let bytes = Base64.decode(String(words[1])) else { return words[1] == text }
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.last == text[...] || parts.count == 2 && parts[0] == text && parts[1].isEmpty
    }
}
