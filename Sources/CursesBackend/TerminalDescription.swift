/// A compiled terminal description, in the formats with numbers of 16 and 32 bits (term(5)).
struct TerminalDescription {
    /// The names of the terminal, as in the file.
    private var names: [UInt8]
    private var flags: [UInt8]
    /// The numbers; -1 for an absent one.
    private var numbers: [Int32]
    /// The offset of each text in ``texts``; -1 for an absent one.
    private var offsets: [Int16]
    private var texts: [UInt8]
    private var extended: Extended

    /// The capabilities that the terminal's description adds to the standard ones, each with its name.
    private struct Extended {
        var flags: [UInt8] = []
        var numbers: [Int32] = []
        var offsets: [Int16] = []
        /// The offset of each name behind the texts: first those of flags, then those of numbers and texts.
        var names: [Int16] = []
        /// The texts, then the names.
        var table: [UInt8] = []

        /// The number of bytes of the texts, where the names begin.
        var namesStart: Int {
            offsets.filter { $0 >= 0 }.map { Int($0) + (table[Int($0)...].firstIndex(of: 0) ?? table.count) - Int($0) + 1 }.max() ?? 0
        }
    }

    /// The positions of capabilities (`term.h`).
    private enum Position {
        static let canChangeColors = 27
        static let maxColors = 13
        static let maxPairs = 14
        static let initializeColor = 299
        static let setForeground = 359
        static let setBackground = 360
    }

    private static let magic16 = 0o432
    private static let magic32 = 0o1036

    /// Reads a description; `nil` if it is not valid.
    init?(_ file: [UInt8]) {
        var reader = DescriptionReader(file)
        guard let head = reader.shorts(6), head.dropFirst().allSatisfy({ $0 >= 0 }),
            [Self.magic16, Self.magic32].contains(Int(head[0]))
        else { return nil }
        let isWide = Int(head[0]) == Self.magic32
        guard let names = reader.bytes(Int(head[1])), let flags = reader.bytes(Int(head[2])), reader.align(),
            let numbers = reader.numbers(Int(head[3]), isWide: isWide), let offsets = reader.shorts(Int(head[4])),
            let texts = reader.bytes(Int(head[5])), Self.areValid(offsets, in: texts)
        else { return nil }
        (self.names, self.flags, self.numbers, self.offsets, self.texts) = (names, flags, numbers, offsets, texts)
        extended = Extended()
        guard reader.align(), let head = reader.shorts(5) else { return }
        guard head.allSatisfy({ $0 >= 0 }), let flags = reader.bytes(Int(head[0])), reader.align(),
            let numbers = reader.numbers(Int(head[1]), isWide: isWide), let offsets = reader.shorts(Int(head[2])),
            let names = reader.shorts(Int(head[0]) + Int(head[1]) + Int(head[2])), let table = reader.bytes(Int(head[4])),
            Self.areValid(offsets, in: table)
        else { return nil }
        extended = Extended(flags: flags, numbers: numbers, offsets: offsets, names: names, table: table)
    }

    private static func areValid(_ offsets: [Int16], in table: [UInt8]) -> Bool {
        offsets.allSatisfy { $0 < 0 || (Int($0) < table.count && table[Int($0)...].contains(0)) }
    }

    // MARK: Colours

    /// The number of colours; 0 without colours.
    var colors: Int { numbers.count > Position.maxColors ? Int(max(0, numbers[Position.maxColors])) : 0 }

    /// Whether the description says that the terminal takes 24-bit colours: `RGB`, or `Tc` of tmux.
    var namesDirectColors: Bool {
        let start = extended.namesStart
        return extended.names.contains { offset in
            let name = extended.table.dropFirst(start + Int(offset)).prefix { $0 != 0 }
            return name.elementsEqual("RGB".utf8) || name.elementsEqual("Tc".utf8)
        }
    }

    /// Turns the description into one with 24-bit colours, as `xterm-direct` has them: a colour's number is its red, green and blue.
    /// Numbers below 16 are the ANSI colours.
    mutating func useDirectColors() {
        setNumber(Position.maxColors, 1 << 24)
        setNumber(Position.maxPairs, 1 << 16)
        if flags.count > Position.canChangeColors { flags[Position.canChangeColors] = 0 }
        if offsets.count > Position.initializeColor { offsets[Position.initializeColor] = -1 }
        setText(Position.setForeground, Self.sequence(dark: 3, bright: 9))
        setText(Position.setBackground, Self.sequence(dark: 4, bright: 10))
        addFlag("RGB")
    }

    private static func sequence(dark: Int, bright: Int) -> String {
        "\u{1B}[%?%p1%{8}%<%t\(dark)%p1%d%e%p1%{16}%<%t\(bright)%p1%{8}%-%d"
            + "%e\(dark)8;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;%p1%{255}%&%d%;m"
    }

    private mutating func setNumber(_ position: Int, _ value: Int32) {
        while numbers.count <= position { numbers.append(-1) }
        numbers[position] = value
    }

    private mutating func setText(_ position: Int, _ text: String) {
        while offsets.count <= position { offsets.append(-1) }
        offsets[position] = Int16(clamping: texts.count)
        texts += Array(text.utf8) + [0]
    }

    private mutating func addFlag(_ name: String) {
        let start = extended.namesStart
        extended.names.insert(Int16(clamping: extended.table.count - start), at: extended.flags.count)
        extended.flags.append(1)
        extended.table += Array(name.utf8) + [0]
    }

    // MARK: Encoding

    /// The description in the format with 32-bit numbers; `nil` if it is too large for its format.
    var encoded: [UInt8]? {
        guard texts.count <= Int(Int16.max), extended.table.count <= Int(Int16.max) else { return nil }
        var bytes = Self.bytes([Self.magic32, names.count, flags.count, numbers.count, offsets.count, texts.count])
        bytes += names + flags
        if bytes.count % 2 != 0 { bytes.append(0) }
        bytes += Self.bytes(numbers) + Self.bytes(offsets.map(Int.init)) + texts
        if bytes.count % 2 != 0 { bytes.append(0) }
        bytes += Self.bytes([
            extended.flags.count, extended.numbers.count, extended.offsets.count, extended.offsets.count + extended.names.count,
            extended.table.count,
        ])
        bytes += extended.flags
        if bytes.count % 2 != 0 { bytes.append(0) }
        return bytes + Self.bytes(extended.numbers) + Self.bytes((extended.offsets + extended.names).map(Int.init)) + extended.table
    }

    private static func bytes(_ shorts: [Int]) -> [UInt8] { shorts.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8 & 0xFF)] } }

    private static func bytes(_ numbers: [Int32]) -> [UInt8] {
        numbers.flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
    }
}

/// Reads the parts of a compiled terminal description in order.
private struct DescriptionReader {
    private let file: [UInt8]
    private var position = 0

    init(_ file: [UInt8]) { self.file = file }

    /// Skips to an even position; false at the end of the file.
    mutating func align() -> Bool {
        position += position % 2
        return position <= file.count
    }

    mutating func bytes(_ count: Int) -> [UInt8]? {
        guard count >= 0, position + count <= file.count else { return nil }
        defer { position += count }
        return Array(file[position..<position + count])
    }

    mutating func shorts(_ count: Int) -> [Int16]? {
        bytes(2 * count).map { bytes in (0..<count).map { Int16(bitPattern: UInt16(bytes[2 * $0]) | UInt16(bytes[2 * $0 + 1]) << 8) } }
    }

    /// Reads numbers of 16 or 32 bits.
    mutating func numbers(_ count: Int, isWide: Bool) -> [Int32]? {
        guard isWide else { return shorts(count)?.map(Int32.init) }
        return bytes(4 * count).map { bytes in
            (0..<count).map { index in
                Int32(bitPattern: (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[4 * index + $1]) << (8 * $1) })
            }
        }
    }
}
