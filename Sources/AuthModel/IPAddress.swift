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
