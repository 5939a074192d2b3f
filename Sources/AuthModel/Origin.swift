/// The scheme, host and port of a URL (RFC 6454), compared together.
public struct Origin: Hashable, Sendable {
    /// The supported schemes.
    public enum Scheme: String, Sendable {
        case http
        case https

        /// The port to use if the URL has none.
        public var defaultPort: Int { self == .https ? 443 : 80 }
    }

    /// The scheme.
    public let scheme: Scheme
    /// The host in lower case. An IPv6 literal is in canonical form (RFC 5952), without brackets.
    public let host: String
    /// The port number, also if it is the default port.
    public let port: Int

    /// Creates an origin. The host must be in lower case, and an IPv6 literal in canonical form without brackets.
    public init(scheme: Scheme, host: String, port: Int) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    init?(scheme: Scheme, authority: String) {
        var host = authority[...]
        var portText: Substring?
        if host.first == "[" {
            guard let close = host.firstIndex(of: "]") else { return nil }
            let after = host[host.index(after: close)...]
            guard after.isEmpty || after.first == ":" else { return nil }
            portText = after.isEmpty ? nil : after.dropFirst()
            host = host[host.index(after: host.startIndex)..<close]
            guard let address = IPAddress(IPv6: host) else { return nil }
            host = address.description[...]
        } else {
            if let colon = host.firstIndex(of: ":") {
                portText = host[host.index(after: colon)...]
                host = host[..<colon]
            }
            guard Self.isHostName(host) else { return nil }
        }
        var port = scheme.defaultPort
        if let portText {
            guard !portText.isEmpty, portText.utf8.count <= 5, portText.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = Int(portText), (1...65_535).contains(number)
            else { return nil }
            port = number
        }
        self.init(scheme: scheme, host: host.asciiLowercased(), port: port)
    }

    /// Returns whether the text is a DNS name or a dotted IPv4 literal: letters, digits, underscores, inner hyphens and single inner dots.
    ///
    /// Programs that parse addresses like `inet_aton` treat a name whose last label is a number as an address (`127.1`, `0x7f.1`,
    /// `2130706433`). Only the canonical spelling of an address is therefore accepted ("ends in a number" of the URL Standard, section
    /// 3.5).
    private static func isHostName(_ text: Substring) -> Bool {
        guard !text.isEmpty, text.utf8.count <= 253, !endsInNumber(text) || IPAddress.isIPv4Literal(text) else { return false }
        return text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            !label.isEmpty && label.utf8.count <= 63 && label.first != "-" && label.last != "-"
                && label.utf8.allSatisfy {
                    Character(Unicode.Scalar($0)).isLetter || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x5F
                }
        }
    }

    private static func endsInNumber(_ host: Substring) -> Bool {
        let label = host.split(separator: ".", omittingEmptySubsequences: false).last ?? ""
        if !label.isEmpty, label.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return true }
        return label.asciiLowercased().hasPrefix("0x") && label.dropFirst(2).allSatisfy(\.isHexDigit)
    }

    /// Whether the host is a loopback literal in canonical form (127.0.0.0/8 or ::1). The name `localhost` does not count, because it can
    /// resolve to any address.
    public var isLoopback: Bool {
        if host == "::1" { return true }
        return host.hasPrefix("127.") && IPAddress.isIPv4Literal(host[...])
    }

    /// Whether the host is this machine: a loopback literal, another address whose connections end here, compared by value (0.0.0.0/8, ::,
    /// and these and loopback written as IPv6), or a name that usually means this machine.
    public var isThisMachine: Bool {
        isLoopback || Self.localNames.contains(host) || host.hasSuffix(".localhost") || IPAddress(host)?.isThisMachine == true
    }

    /// The names that distributions give to loopback addresses in their `hosts` file, in addition to those of RFC 6761 section 6.3.
    private static let localNames: Set<String> = [
        "localhost", "localhost.localdomain", "localhost6", "localhost6.localdomain6", "ip6-localhost", "ip6-loopback",
    ]

    /// Whether the host is an IP address.
    public var isAddress: Bool { IPAddress(host) != nil }

    /// Whether credentials may be sent to the origin: https, or http on a loopback literal.
    public var isProtected: Bool { scheme == .https || isLoopback }

    /// Host and port as in a Host header: the port only if it is not the default port of the scheme.
    public var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == scheme.defaultPort ? name : "\(name):\(port)"
    }
}

extension Origin: CustomStringConvertible {
    /// The origin as text: `https://example.org:8443`.
    public var description: String { "\(scheme.rawValue)://\(authority)" }
}
