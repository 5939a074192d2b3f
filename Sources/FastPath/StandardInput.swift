internal import CLauncher

/// The standard input of a credential helper.
enum StandardInput {
    /// The buffer size in bytes. The full program refuses a longer input.
    static let limit = 300_000

    /// Reads up to an empty line or the end, as the credential helpers do. Returns the part of the buffer that was filled.
    static func read(into buffer: UnsafeMutableRawBufferPointer) -> UnsafeRawBufferPointer {
        var count = 0
        while count < buffer.count, let base = buffer.baseAddress {
            let got = CLauncher.read(STDIN_FILENO, base + count, buffer.count - count)
            if got < 0, claunch_errno() == EINTR { continue }
            guard got > 0 else { break }
            count += got
            if endsWithEmptyLine(UnsafeRawBufferPointer(start: base, count: count)) { break }
        }
        return UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count])
    }

    private static func endsWithEmptyLine(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let newline = UInt8(ascii: "\n")
        guard let last = bytes.last, last == newline else { return false }
        return bytes.count == 1 || bytes[bytes.count - 2] == newline
    }

    /// Makes what was read the standard input again, for the full program. Exits if that fails, because the program would miss its request.
    static func putBack(_ bytes: UnsafeRawBufferPointer) {
        if claunch_replace_input(bytes.baseAddress, bytes.count) != 0 { _exit(1) }
    }
}
