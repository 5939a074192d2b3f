/// A registered redirect URI: on a loopback address of this machine, with a fixed port if the provider requires one; or elsewhere, so that
/// the user pastes the callback or the code.
public struct RedirectRule: Hashable, Sendable {
    /// The host in the redirect URI: `127.0.0.1`, `::1` or `localhost`; empty if the URI does not point to this machine.
    public var host: String
    /// The port; `nil` for any free port (RFC 8252 section 7.3).
    public var port: Int?
    /// The path, starting with `/`.
    public var path: String
    /// The complete redirect URI, if it does not point to this machine.
    private var externalURI: String?
    /// The authority without a port, and the path, as they were written; `nil` if they are written as the properties above. Providers
    /// compare redirect URIs byte for byte, so a URI without a path must not be sent with `/`.
    private var written: Written?

    private struct Written: Hashable {
        var host: String
        var path: String
        /// The port with its colon; empty if there is none.
        var port: String
    }

    /// Creates a loopback redirect URI.
    public init(host: String, port: Int?, path: String) {
        self.host = host
        self.port = port
        self.path = path
    }

    private init(externalURI: String) {
        self.init(host: "", port: nil, path: "")
        self.externalURI = externalURI
    }

    /// `http://127.0.0.1/callback` on any free port.
    public static let standard = RedirectRule(host: "127.0.0.1", port: nil, path: "/callback")

    /// No redirect: the provider's page shows the code, and the user pastes it.
    public static let outOfBand = RedirectRule(externalURI: "urn:ietf:wg:oauth:2.0:oob")

    /// Whether the provider shows the code instead of redirecting.
    public var isOutOfBand: Bool { self == .outOfBand }

    /// Whether the browser is redirected to an https page on another host.
    public var isExternalPage: Bool { externalURI != nil && !isOutOfBand }

    /// Whether the browser is redirected to a port of this machine.
    public var redirectsToThisMachine: Bool { externalURI == nil }

    /// Parses a `redirect` value of the configuration: http on a loopback host, without query and fragment, or `urn:ietf:wg:oauth:2.0:oob`;
    /// returns `nil` for anything else.
    public init?(_ text: String) {
        if text == Self.outOfBand.externalURI {
            self = .outOfBand
            return
        }
        guard let url = WebURL(text), url.origin.scheme == .http, url.query == nil, url.fragment == nil,
            ["127.0.0.1", "::1", "localhost"].contains(url.origin.host)
        else { return nil }
        let afterScheme = text.dropFirst("http://".utf8.count)
        let authority = afterScheme.prefix { $0 != "/" }
        let hasPort = authority.last != "]" && authority.split(separator: "]").last?.contains(":") == true
        self.init(host: url.origin.host, port: hasPort ? url.origin.port : nil, path: url.path.isEmpty ? "/" : url.path)
        let portText = hasPort ? authority.lastIndex(of: ":").map { String(authority[$0...]) } ?? "" : ""
        let standard = Written(host: standardHost, path: path, port: port.map { ":\($0)" } ?? "")
        let written = Written(host: String(authority.dropLast(portText.count)), path: url.path, port: portText)
        if written != standard { self.written = written }
    }

    private var standardHost: String { host.contains(":") ? "[\(host)]" : host }

    /// Parses an https page on another host, from which the user pastes the address. Returns `nil` for anything else, and for a URL without
    /// a path: browsers add one, so the pasted address would differ from the registered one.
    public init?(page text: String) {
        guard let url = WebURL(text), url.origin.scheme == .https, !url.origin.isThisMachine,
            !url.path.isEmpty, url.query == nil, url.fragment == nil
        else { return nil }
        self.init(externalURI: text)
    }

    /// Returns the redirect URI with the bound port, otherwise as it was written.
    public func uri(port: Int) -> String {
        if let externalURI { return externalURI }
        let portText = port == self.port ? written?.port : nil
        return "http://\(written?.host ?? standardHost)\(portText ?? ":\(port)")\(written?.path ?? path)"
    }

    /// The same URI at the other loopback literal; `nil` for a host name, which covers both, and for a URI that does not point to this
    /// machine.
    public var otherLoopbackLiteral: RedirectRule? {
        switch host {
        case "127.0.0.1": atHost("::1")
        case "::1": atHost("127.0.0.1")
        default: nil
        }
    }

    private func atHost(_ other: String) -> RedirectRule {
        var rule = RedirectRule(host: other, port: port, path: path)
        rule.written = written.map { Written(host: rule.standardHost, path: $0.path, port: $0.port) }
        return rule
    }
}

extension RedirectRule: CustomStringConvertible {
    /// The redirect URI as it must be registered.
    public var description: String {
        if let externalURI { return externalURI }
        return port.map { uri(port: $0) } ?? "http://\(written?.host ?? standardHost)\(written?.path ?? path)"
    }
}
