import AuthModel

/// A fault of a whole response, at any endpoint that clients request directly. See ``summary`` for each case.
public enum TransportFault: String, Sendable, CaseIterable {
    case closed
    case hanging
    case notFound = "404"
    case serverError = "500"
    case unavailable = "503"
    case html
    case notJSON = "not-json"
    case array
    case plainText = "text-plain"
    case empty400 = "empty-400"
    case duplicateMember = "duplicate-member"
    case oversize
    case gzipBomb = "gzip-bomb"
    case redirect302 = "redirect-302"
    case redirect307 = "redirect-307"

    /// A description of the fault, for a table.
    public var summary: String { effect().summary }

    /// About 40 MB, in units of the longest match of deflate.
    private static let bombMatches = 155_000
    private static let bomb = GzipBomb.make(
        opening: padding.opening, filler: UInt8(ascii: "x"), matches: bombMatches, closing: padding.closing)
    private static let padding = (opening: Array(#"{"padding":""#.utf8), closing: Array(#""}"#.utf8))

    /// Returns the response with this fault.
    ///
    /// - Parameter elsewhere: a URL of another origin.
    func apply(_ honest: SandboxResponse, elsewhere: String) -> SandboxResponse { effect(elsewhere: elsewhere).apply(honest) }

    private func effect(elsewhere: String = "") -> FaultEffect<SandboxResponse> {
        switch self {
        case .closed: .changing("the connection is closed without a response") { $0.delivery = .closesConnection }
        case .hanging: .changing("no response is sent") { $0.delivery = .never }
        case .notFound: Self.page(status: 404)
        case .serverError: Self.page(status: 500)
        case .unavailable:
            .init("503 with Retry-After: 7") { _ in .text("try again later\n", status: 503, headers: [("Retry-After", "7")]) }
        case .html: Self.page(status: 200)
        case .notJSON: .changing("200 with JSON that is cut off") { $0.body = .bytes(Array($0.text.utf8.dropLast())) }
        case .array: .changing("200 with a JSON array around the document") { $0.body = .bytes(Array("[\($0.text)]".utf8)) }
        case .plainText:
            .changing("the right document as text/plain") { $0.setHeader("Content-Type", "text/plain; charset=utf-8") }
        case .empty400: .init("400 with an empty body") { _ in SandboxResponse(status: 400) }
        case .duplicateMember:
            .changing("the first member of the document appears twice, with another value first") {
                $0.body = .bytes(Array(Self.withFirstMemberTwice($0.text).utf8))
            }
        case .oversize:
            .changing("a document of 40 MB, streamed") {
                $0.body = .padded(
                    opening: Self.padding.opening, filler: UInt8(ascii: "x"), count: Self.bombMatches * 258, closing: Self.padding.closing)
            }
        case .gzipBomb:
            .changing("a document of 40 MB in 250 kB of gzip") {
                $0.setHeader("Content-Encoding", "gzip")
                $0.body = .bytes(Self.bomb)
            }
        case .redirect302: .init("302 to another origin") { _ in .redirect(to: elsewhere, status: 302) }
        case .redirect307: .init("307 to another origin") { _ in .redirect(to: elsewhere, status: 307) }
        }
    }

    private static func page(status: Int) -> FaultEffect<SandboxResponse> {
        .init("\(status) with a page") { _ in
            .text("<!doctype html><title>\(status)</title><h1>Something else answers here</h1>\n", type: "text/html", status: status)
        }
    }

    private static func withFirstMemberTwice(_ text: String) -> String {
        guard let document = try? JSONValue(strict: text), let first = document.members?.first else { return text }
        return "{" + JSONValue.string(first.name).text + #":"another value","# + text.dropFirst()
    }
}

extension SandboxResponse {
    mutating func setHeader(_ name: String, _ value: String) {
        headers.removeAll { $0.name == name }
        headers.append((name, value))
    }
}

/// A small gzip file that inflates to a large document, encoded by hand because the sandbox has no compressor.
///
/// It is one deflate block with fixed codes (RFC 1951 section 3.2.6): `opening` and one `filler` as literals, then matches of length 258 at
/// distance 1, of 13 bits each, then `closing`.
enum GzipBomb {
    static func make(opening: [UInt8], filler: UInt8, matches: Int, closing: [UInt8]) -> [UInt8] {
        var bits = BitWriter()
        bits.write(1, count: 1)
        bits.write(1, count: 2)
        for byte in opening + [filler] { bits.writeLiteral(byte) }
        for _ in 0..<matches {
            // Length 258 is code 285, distance 1 is code 0.
            bits.writeCode(0b1100_0101, count: 8)
            bits.writeCode(0, count: 5)
        }
        for byte in closing { bits.writeLiteral(byte) }
        bits.writeCode(0, count: 7)
        let deflated = bits.finished

        var sum = Checksum()
        for byte in opening { sum.add(byte) }
        for _ in 0..<(matches * 258 + 1) { sum.add(filler) }
        for byte in closing { sum.add(byte) }
        let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
        return header + deflated + littleEndian(sum.value) + littleEndian(sum.count)
    }

    private static func littleEndian(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
}

/// Writes bits in deflate's order: from the lowest bit of each byte, codes from their highest bit.
private struct BitWriter {
    private var bytes: [UInt8] = []
    private var pending: UInt8 = 0
    private var used = 0

    mutating func write(_ value: Int, count: Int) {
        for index in 0..<count { write(bit: UInt8(value >> index & 1)) }
    }

    mutating func writeCode(_ code: Int, count: Int) {
        for index in (0..<count).reversed() { write(bit: UInt8(code >> index & 1)) }
    }

    mutating func writeLiteral(_ byte: UInt8) {
        if byte < 144 { writeCode(0x30 + Int(byte), count: 8) } else { writeCode(0x190 + Int(byte) - 144, count: 9) }
    }

    private mutating func write(bit: UInt8) {
        pending |= bit << used
        used += 1
        if used == 8 {
            bytes.append(pending)
            pending = 0
            used = 0
        }
    }

    var finished: [UInt8] { used == 0 ? bytes : bytes + [pending] }
}

/// The CRC-32 of gzip (RFC 1952 section 8), and the length.
private struct Checksum {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
    }

    private var state: UInt32 = 0xFFFF_FFFF
    private(set) var count: UInt32 = 0

    mutating func add(_ byte: UInt8) {
        state = Self.table[Int((state ^ UInt32(byte)) & 0xFF)] ^ state >> 8
        count &+= 1
    }

    var value: UInt32 { state ^ 0xFFFF_FFFF }
}
