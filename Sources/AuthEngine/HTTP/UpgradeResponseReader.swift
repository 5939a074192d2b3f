import AuthModel
import OAuth

/// Reads the response to a request for an upgrade (RFC 9110 section 7.8) from the bytes of a connection, strictly: what two readers could
/// understand differently is refused.
///
/// After 101 the rest of the bytes is the other protocol's. After any other status the rest is an ordinary body (RFC 9112 section 6).
struct UpgradeResponseReader {
    /// The part of the response that comes next.
    enum Portion: Equatable {
        /// The status and the header fields are complete; these bytes were the end of them.
        case head(Int)
        /// So many bytes are no content.
        case framing(Int)
        /// So many bytes are content. ``passedOn(_:)`` tells how many of them were passed on.
        case content(Int)
        /// The first line is not complete.
        case incomplete
        /// The body is complete.
        case end
    }

    /// The reason why a response is refused.
    enum Fault: Error, Equatable {
        case invalid
        case tooManyHeaders
    }

    /// `statusLine` → `fields` → `content` or `chunkSize` or `ended`; an interim response leads back to `statusLine`.
    /// `chunkSize` → `chunk` → `chunkEnd` → `chunkSize`, and after the last chunk `trailer` → `ended`.
    private enum Phase: Equatable {
        case statusLine
        case fields
        /// `nil`: everything up to the end of the connection.
        case content(left: Int?)
        case chunkSize
        case chunk(left: Int)
        case chunkEnd
        case trailer
        case ended
    }

    private(set) var status = 0
    private(set) var headers: [(name: String, value: String)] = []
    private var phase = Phase.statusLine
    private var lineBytes = 0
    private var lineCount = 0
    /// The number of bytes of the next line that are known to have no end, because the connection may bring it byte by byte.
    private var searched = 0
    private let byteLimit: Int
    private let countLimit: Int
    private let protocolName: String

    /// Creates a reader for the upgrade to a protocol, with limits on all header lines, interim responses and trailers included.
    init(protocolName: String, byteLimit: Int, countLimit: Int) {
        self.protocolName = protocolName.asciiLowercased()
        self.byteLimit = byteLimit
        self.countLimit = countLimit
    }

    /// Whether the status and the header fields are complete.
    var hasHead: Bool { phase != .statusLine && phase != .fields }
    /// Whether the connection speaks the other protocol now.
    var isUpgraded: Bool { hasHead && status == 101 }
    /// Whether the response is complete when the connection ends here.
    var mayEnd: Bool { phase == .ended || phase == .content(left: nil) }

    /// Returns what the first of these bytes are.
    mutating func portion(of bytes: some RandomAccessCollection<UInt8>) throws(Fault) -> Portion {
        switch phase {
        case .ended, .content(left: 0): return .end
        case .content(left: nil): return bytes.isEmpty ? .incomplete : .content(bytes.count)
        case .content(let left?), .chunk(let left): return bytes.isEmpty ? .incomplete : .content(min(left, bytes.count))
        case .statusLine, .fields, .chunkSize, .chunkEnd, .trailer: break
        }
        guard let end = bytes.dropFirst(searched).firstIndex(of: UInt8(ascii: "\n")) else {
            guard bytes.count + lineBytes <= byteLimit else { throw .tooManyHeaders }
            searched = bytes.count
            return .incomplete
        }
        searched = 0
        let line = Array(bytes[..<end])
        // A lone line feed is a line's end to some readers and none to others.
        guard line.last == UInt8(ascii: "\r") else { throw .invalid }
        let isComplete = try readLine(line.dropLast())
        return isComplete ? .head(line.count + 1) : .framing(line.count + 1)
    }

    /// Counts content that was passed on.
    mutating func passedOn(_ count: Int) {
        switch phase {
        case .content(let left?): phase = .content(left: left - count)
        case .chunk(let left): phase = left == count ? .chunkEnd : .chunk(left: left - count)
        default: break
        }
    }

    // MARK: Lines

    /// Reads a line without its end. Returns whether it completes the head of a final response.
    private mutating func readLine(_ line: ArraySlice<UInt8>) throws(Fault) -> Bool {
        switch phase {
        case .chunkSize:
            let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != 0x20 && $0 != 0x09 }
            guard (1...15).contains(digits.count), let size = Int(String(decoding: digits, as: UTF8.self), radix: 16), size >= 0,
                digits.first != UInt8(ascii: "+"), digits.first != UInt8(ascii: "-"), line.count <= 1024
            else { throw .invalid }
            phase = size == 0 ? .trailer : .chunk(left: size)
            return false
        case .chunkEnd:
            guard line.isEmpty else { throw .invalid }
            phase = .chunkSize
            return false
        default: break
        }
        lineBytes += line.count + 2
        lineCount += 1
        guard lineBytes <= byteLimit, lineCount <= countLimit else { throw .tooManyHeaders }
        switch phase {
        case .statusLine: try readStatus(line)
        case .fields where !line.isEmpty: headers.append(try Self.field(line))
        case .fields: return try finishHead()
        // Trailers are for the reader of the body, which has none.
        case .trailer where line.isEmpty: phase = .ended
        case .trailer: _ = try Self.field(line)
        default: break
        }
        return false
    }

    private mutating func readStatus(_ line: ArraySlice<UInt8>) throws(Fault) {
        let text = String(decoding: line, as: UTF8.self)
        guard text.hasPrefix("HTTP/1.1 ") || text.hasPrefix("HTTP/1.0 ") else { throw .invalid }
        let rest = text.utf8.dropFirst(9)
        guard let number = Int(String(rest.prefix(3)) ?? ""), (100...599).contains(number), [nil, 0x20].contains(rest.dropFirst(3).first)
        else { throw .invalid }
        // Only HTTP/1.1 has upgrades.
        guard number != 101 || text.hasPrefix("HTTP/1.1 ") else { throw .invalid }
        status = number
        headers = []
        phase = .fields
    }

    /// Returns a header field. A line that continues the one before is refused (RFC 9112 section 5.2).
    private static func field(_ line: ArraySlice<UInt8>) throws(Fault) -> (name: String, value: String) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { throw .invalid }
        let name = String(decoding: line[..<colon], as: UTF8.self)
        var value = line[(colon + 1)...]
        while let first = value.first, first == 0x20 || first == 0x09 { value.removeFirst() }
        while let last = value.last, last == 0x20 || last == 0x09 { value.removeLast() }
        guard name.isHTTPToken, value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else { throw .invalid }
        return (name, String(decoding: value, as: UTF8.self))
    }

    /// Decides what follows the header fields. Returns false after an interim response.
    private mutating func finishHead() throws(Fault) -> Bool {
        if status == 101 {
            guard tokens("upgrade") == [protocolName], tokens("connection").contains("upgrade") else { throw .invalid }
            phase = .content(left: nil)
            return true
        }
        guard status >= 200 else {
            phase = .statusLine
            return false
        }
        let lengths = values("content-length")
        let codings = tokens("transfer-encoding")
        if status == 204 || status == 304 {
            phase = .ended
        } else if !codings.isEmpty {
            // With both, or another coding, two readers could disagree about where the body ends.
            guard codings == ["chunked"], lengths.isEmpty else { throw .invalid }
            phase = .chunkSize
        } else if let first = lengths.first {
            guard lengths.count == 1, (1...15).contains(first.utf8.count), first.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let size = Int(first)
            else { throw .invalid }
            phase = .content(left: size)
        } else {
            phase = .content(left: nil)
        }
        return true
    }

    private func values(_ name: String) -> [String] { headers.filter { $0.name.asciiLowercased() == name }.map(\.value) }

    private func tokens(_ name: String) -> [String] {
        values(name).flatMap { $0.split(separator: ",") }.map { $0.asciiLowercased().split { $0 == " " || $0 == "\t" }.joined() }
    }
}
