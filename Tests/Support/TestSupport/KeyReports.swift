/// The transport of a key: messages in reports of 64 bytes (CTAP 2.1, 11.2, CTAPHID).
struct KeyReports {
    private var channel: [UInt8] = []
    private var command: UInt8 = 0
    private var expected = 0
    private var message: [UInt8] = []
    private var answers: [[UInt8]] = []

    private static let size = 64
    private static let initialize: UInt8 = 0x06
    private static let cbor: UInt8 = 0x10
    private static let assigned: [UInt8] = [0, 0, 0, 1]

    /// Takes a report. Returns the message that it completes: a CTAP command.
    mutating func take(_ report: [UInt8]) -> [UInt8]? {
        guard report.count == Self.size else { return nil }
        if report[4] & 0x80 != 0 {
            channel = Array(report[..<4])
            command = report[4] & 0x7F
            expected = Int(report[5]) << 8 | Int(report[6])
            message = Array(report[7...].prefix(expected))
        } else {
            message += report[5...].prefix(expected - message.count)
        }
        guard message.count == expected else { return nil }
        switch command {
        case Self.initialize:
            // Version 2 of the protocol; the key has CBOR and no U2F.
            answer(message + Self.assigned + [2, 1, 0, 0, 0x04 | 0x08])
            return nil
        case Self.cbor: return message
        default: return nil
        }
    }

    /// Queues the reports of an answer to the last message.
    mutating func answer(_ bytes: [UInt8]) {
        var rest = bytes[...]
        let head = channel + [command | 0x80, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)]
        answers.append(Self.padded(head + rest.prefix(Self.size - 7)))
        rest = rest.dropFirst(Self.size - 7)
        var sequence: UInt8 = 0
        while !rest.isEmpty {
            answers.append(Self.padded(channel + [sequence] + rest.prefix(Self.size - 5)))
            rest = rest.dropFirst(Self.size - 5)
            sequence += 1
        }
    }

    /// Returns the next report; `nil` if the key has nothing to say.
    mutating func next() -> [UInt8]? { answers.isEmpty ? nil : answers.removeFirst() }

    private static func padded(_ report: [UInt8]) -> [UInt8] { report + [UInt8](repeating: 0, count: size - report.count) }
}
