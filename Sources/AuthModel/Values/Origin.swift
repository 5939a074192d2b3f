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
            guard !portText.isEmpty, portText.utf8.count <= 5, portText.utf8.allSatisfy(\.isASCIIDigit),
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
                && label.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-_".utf8.contains($0) }
        }
    }

    private static func endsInNumber(_ host: Substring) -> Bool {
        let label = host.split(separator: ".", omittingEmptySubsequences: false).last ?? ""
        if !label.isEmpty, label.utf8.allSatisfy(\.isASCIIDigit) { return true }
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

    /// Whether the host is not of the public Internet: this machine, an address of a private or local network, or a name that only such a
    /// network has (RFC 6762, RFC 8375).
    public var isPrivate: Bool {
        if let address = IPAddress(host) { return address.isPrivate }
        return isThisMachine || !host.contains(".") || [".home.arpa", ".internal", ".local"].contains { host.hasSuffix($0) }
    }

    /// Whether the host is an IP address.
    public var isAddress: Bool { IPAddress(host) != nil }

    /// Whether credentials may be sent to the origin: https, or http on a loopback literal.
    public var isProtected: Bool { scheme == .https || isLoopback }

    /// Whether a host of the configuration, `host` or `host:port`, names this origin. Without a port, it means the scheme's own one.
    package func isNamed(by host: String) -> Bool { WebURL("\(scheme.rawValue)://\(host)")?.origin == self }

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

/// An IP address that is compared by value.
struct IPAddress: Equatable, Sendable {
    /// The eight groups of an IPv6 address. An IPv4 address is stored as an IPv4-mapped address (RFC 4291 section 2.5.5.2).
    private let groups: [UInt16]
    private let isIPv4: Bool

    /// Parses the host of an ``Origin``: an IPv4 literal, or an IPv6 literal without brackets; returns `nil` for a name.
    init?(_ host: String) {
        guard let address = IPAddress(IPv4: host[...]) ?? IPAddress(IPv6: host[...]) else { return nil }
        self = address
    }

    /// Parses four decimal numbers from 0 to 255 without leading zeros.
    init?(IPv4 text: Substring) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let bytes = parts.compactMap { part in UInt8(part).flatMap { String($0) == part ? UInt16($0) : nil } }
        guard parts.count == 4, bytes.count == 4 else { return nil }
        groups = [0, 0, 0, 0, 0, 0xFFFF, bytes[0] << 8 | bytes[1], bytes[2] << 8 | bytes[3]]
        isIPv4 = true
    }

    /// Parses eight groups of hexadecimal digits. The last two may be a dotted IPv4 literal, and one `::` may replace groups of zeros (RFC
    /// 4291 section 2.2). Zone identifiers are not accepted.
    init?(IPv6 text: Substring) {
        let halves = text.split(separator: "::", maxSplits: 2, omittingEmptySubsequences: false)
        guard halves.count <= 2 else { return nil }
        var read: [[UInt16]] = []
        for (index, half) in halves.enumerated() {
            guard let groups = Self.groups(half, mayEndInIPv4: index == halves.count - 1) else { return nil }
            read.append(groups)
        }
        let count = read.reduce(0) { $0 + $1.count }
        guard halves.count == 2 ? count < 8 : count == 8 else { return nil }
        groups = (read.first ?? []) + Array(repeating: 0, count: 8 - count) + (read.count == 2 ? read[1] : [])
        isIPv4 = false
    }

    /// Parses the groups of a part without `::`. The part may be empty.
    private static func groups(_ text: Substring, mayEndInIPv4: Bool) -> [UInt16]? {
        guard !text.isEmpty else { return [] }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        var groups: [UInt16] = []
        for (index, part) in parts.enumerated() {
            if mayEndInIPv4, index == parts.count - 1, let address = IPAddress(IPv4: part) {
                groups += address.groups.suffix(2)
            } else {
                guard (1...4).contains(part.utf8.count), part.allSatisfy(\.isHexDigit), let group = UInt16(part, radix: 16) else {
                    return nil
                }
                groups.append(group)
            }
        }
        return groups
    }

    static func isIPv4Literal(_ text: Substring) -> Bool { IPAddress(IPv4: text) != nil }

    /// Whether the address is not of the public Internet (RFC 6890): this machine, a private or local network, or reserved. Of IPv6, only
    /// 2000::/3 is public, without the addresses that have an IPv4 address in them (RFC 3056).
    var isPrivate: Bool {
        let hasIPv4 = groups.prefix(5).allSatisfy { $0 == 0 } && (groups[5] == 0xFFFF || groups[5] == 0)
        guard hasIPv4 else { return groups[0] & 0xE000 != 0x2000 || groups[0] == 0x2002 }
        let (first, second) = (groups[6] >> 8, groups[6] & 0xFF)
        switch first {
        case 0, 10, 127, 224...: return true
        case 100: return (64...127).contains(second)
        case 169: return second == 254
        case 172: return (16...31).contains(second)
        case 192: return second == 168
        case 198: return second == 18 || second == 19
        default: return false
        }
    }

    /// Whether a connection to the address ends at this machine: loopback, or the unspecified address, which Linux connects to loopback.
    /// Covers IPv4, IPv6, and IPv4-mapped and IPv4-compatible addresses (RFC 4291 section 2.5.5).
    var isThisMachine: Bool {
        guard groups.prefix(5).allSatisfy({ $0 == 0 }), groups[5] == 0xFFFF || groups[5] == 0 else { return false }
        let first = groups[6] >> 8
        // The last two groups of ::1 are 0.0.0.1.
        return first == 127 || first == 0
    }
}

extension IPAddress: CustomStringConvertible {
    /// The canonical text (RFC 5952): lower case, no leading zeros, `::` for the longest run of zero groups, dotted notation for a mapped
    /// address.
    var description: String {
        let last = "\(groups[6] >> 8).\(groups[6] & 0xFF).\(groups[7] >> 8).\(groups[7] & 0xFF)"
        if isIPv4 { return last }
        if groups.prefix(5).allSatisfy({ $0 == 0 }), groups[5] == 0xFFFF { return "::ffff:" + last }
        func text(_ range: Range<Int>) -> String { groups[range].map { String($0, radix: 16) }.joined(separator: ":") }
        guard let run = longestRunOfZeros else { return text(0..<8) }
        return text(0..<run.lowerBound) + "::" + text(run.upperBound..<8)
    }

    /// The first of the longest runs of at least two zero groups.
    private var longestRunOfZeros: Range<Int>? {
        var longest = 0..<0
        var start = 0
        for index in 0...8 where index == 8 || groups[index] != 0 {
            if index - start > longest.count { longest = start..<index }
            start = index + 1
        }
        return longest.count > 1 ? longest : nil
    }
}
