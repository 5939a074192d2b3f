/// A redirect URI as it is registered: on this machine's loopback, with a port where the provider wants a certain one; or where a person
/// has to bring the answer from.
public struct RedirectRule: Hashable, Sendable {
    /// The host as it is written in the redirect URI: `127.0.0.1`, `::1` or `localhost`; empty where it does not lead to this machine.
    public var host: String
    /// `nil`: any free port (RFC 8252 section 7.3).
    public var port: Int?
    /// Beginning with `/`.
    public var path: String
    /// The whole redirect URI, where it does not lead to this machine.
    private var elsewhere: String?

    public init(host: String, port: Int?, path: String) {
        self.host = host
        self.port = port
        self.path = path
    }

    private init(elsewhere: String) {
        self.init(host: "", port: nil, path: "")
        self.elsewhere = elsewhere
    }

    /// `http://127.0.0.1/callback` on any free port.
    public static let standard = RedirectRule(host: "127.0.0.1", port: nil, path: "/callback")

    /// No redirect at all: the provider's page shows the code, and the person pastes it.
    public static let outOfBand = RedirectRule(elsewhere: "urn:ietf:wg:oauth:2.0:oob")

    /// Whether the code is shown by the provider instead of sent.
    public var isOutOfBand: Bool { self == .outOfBand }

    /// Whether the browser ends on a page of the person's own.
    public var isPage: Bool { elsewhere != nil && !isOutOfBand }

    /// Whether the browser comes back to a port of this machine.
    public var comesBackHere: Bool { elsewhere == nil }

    /// Reads a `redirect` of the configuration: http on a loopback host, without query and fragment, or `urn:ietf:wg:oauth:2.0:oob`;
    /// `nil` for anything else.
    public init?(_ text: String) {
        if text == Self.outOfBand.elsewhere {
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
    }

    /// An https page on another host: the browser ends there, and the person brings its address. `nil` for anything else, and for an
    /// address without a path: browsers add one, and what is brought would not be what was sent.
    public init?(page text: String) {
        guard let url = WebURL(text), url.origin.scheme == .https, !url.origin.isThisMachine,
            !url.path.isEmpty, url.query == nil, url.fragment == nil
        else { return nil }
        self.init(elsewhere: text)
    }

    /// The redirect URI with the port that was bound.
    public func uri(port: Int) -> String {
        elsewhere ?? "http://\(host.contains(":") ? "[\(host)]" : host):\(port)\(path)"
    }
}

extension RedirectRule {
    /// The same at the other loopback literal; `nil` for a name, which stands for both, and where it does not lead to this machine.
    public var atTheOtherLiteral: RedirectRule? {
        switch host {
        case "127.0.0.1": RedirectRule(host: "::1", port: port, path: path)
        case "::1": RedirectRule(host: "127.0.0.1", port: port, path: path)
        default: nil
        }
    }
}

extension RedirectRule: CustomStringConvertible {
    /// As it is to be registered.
    public var description: String {
        if let elsewhere { return elsewhere }
        return port.map { uri(port: $0) } ?? "http://\(host.contains(":") ? "[\(host)]" : host)\(path)"
    }
}
