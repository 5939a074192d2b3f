/// Reads a stream of server-sent events (WHATWG HTML section 9.2), piece by piece.
struct ServerSentEvents {
    /// One event.
    struct Event: Equatable {
        /// Its type; `message` if the stream names none.
        var type = "message"
        var data: [UInt8] = []
        /// The identifier to resume the stream from.
        var id: String?
    }

    /// The time after which to connect again, as the server wants it.
    private(set) var retry: Duration?
    private var line: [UInt8] = []
    private var event = Event()
    private var hasData = false
    private var endedWithReturn = false
    private var isFirstLine = true

    /// The maximum size of an event in bytes; a larger one ends the stream.
    private let limit: Int

    init(limit: Int = 64 << 20) { self.limit = limit }

    /// Returns the events that a piece completes; `nil` if an event is too large.
    mutating func read(_ piece: some Sequence<UInt8>) -> [Event]? {
        var events: [Event] = []
        for byte in piece {
            switch byte {
            case UInt8(ascii: "\n") where endedWithReturn: endedWithReturn = false
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                endedWithReturn = byte == UInt8(ascii: "\r")
                if let event = endLine() { events.append(event) }
            default:
                endedWithReturn = false
                line.append(byte)
                guard line.count + event.data.count <= limit else { return nil }
            }
        }
        return events
    }

    private mutating func endLine() -> Event? {
        defer { line.removeAll(keepingCapacity: true) }
        if isFirstLine, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        isFirstLine = false
        guard !line.isEmpty else { return endEvent() }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[min(colon + 1, line.endIndex)...]
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "event": event.type = String(decoding: value, as: UTF8.self)
        case "data":
            if hasData { event.data.append(UInt8(ascii: "\n")) }
            event.data += value
            hasData = true
        // An identifier becomes a header field when the stream is resumed.
        case "id" where value.allSatisfy({ (0x20...0x7E).contains($0) }) && value.count <= 4096:
            event.id = String(decoding: value, as: UTF8.self)
        case "retry" where (1...9).contains(value.count):
            if let number = Int64(String(decoding: value, as: UTF8.self)), number >= 0 { retry = .milliseconds(number) }
        default: break
        }
        return nil
    }

    private mutating func endEvent() -> Event? {
        defer { (event, hasData) = (Event(), false) }
        return hasData || event.id != nil ? event : nil
    }
}
