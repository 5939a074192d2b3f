internal import CLauncher

/// Appends bytes to a borrowed buffer. Data that does not fit or is not allowed makes the result invalid.
struct ByteWriter {
    private let buffer: UnsafeMutableRawBufferPointer
    private(set) var count = 0
    /// Whether all data was written and allowed.
    private(set) var isValid = true

    init(_ buffer: UnsafeMutableRawBufferPointer) { self.buffer = buffer }

    mutating func append(_ text: StaticString) { append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)) }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard isValid, bytes.count <= buffer.count - count, let base = buffer.baseAddress, let source = bytes.baseAddress else {
            isValid = false
            return
        }
        memcpy(base + count, source, bytes.count)
        count += bytes.count
    }

    /// Appends text. Characters that could end a header field or JSON string make the result invalid.
    mutating func append(plain text: UnsafePointer<CChar>) {
        let bytes = UnsafeRawBufferPointer(start: text, count: strlen(text))
        for byte in bytes where byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
            isValid = false
            return
        }
        append(bytes)
    }

    /// Appends text as a JSON string with its quotes. Control characters other than tabs and line breaks make the result invalid.
    mutating func append(quoted text: UnsafeRawBufferPointer) {
        append("\"")
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""): append("\\\"")
            case UInt8(ascii: "\\"): append("\\\\")
            case UInt8(ascii: "\n"): append("\\n")
            case UInt8(ascii: "\r"): append("\\r")
            case UInt8(ascii: "\t"): append("\\t")
            case ..<0x20: invalidate()
            default: withUnsafeBytes(of: byte) { append($0) }
            }
        }
        append("\"")
    }

    /// Marks the result as invalid.
    mutating func invalidate() { isValid = false }

    /// Appends a folder without trailing slashes. An empty or relative path makes the result invalid.
    mutating func append(folder text: UnsafePointer<CChar>) {
        let slash = CChar(bitPattern: UInt8(ascii: "/"))
        var length = strlen(text)
        guard length > 1, text[0] == slash else {
            isValid = false
            return
        }
        let start = count
        append(plain: text)
        guard isValid else { return }
        while length > 1, text[length - 1] == slash { length -= 1 }
        count = start + length
    }

    /// Appends a number in decimal digits.
    mutating func append(_ number: Int) {
        if number >= 10 { append(number / 10) }
        var digit = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10)
        withUnsafeBytes(of: &digit) { append($0) }
    }
}
