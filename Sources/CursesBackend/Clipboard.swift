internal import CTerminal
internal import Glibc
internal import Synchronization

/// Copies text to the clipboard of the user's machine through the terminal (OSC 52), also across ssh. Any thread may copy; the thread that
/// owns the terminal writes. The clipboard is never read: the terminal's answer would arrive as typed input.
///
/// There is no way to know whether the terminal obeys: many ask the user first, some ignore the sequence. A secret counts as present until
/// other text is copied through this object. Text that other programs copy meanwhile is invisible to this one, and is cleared with the
/// secret. A secret that is still present when the terminal is restored is cleared then. Clipboard managers, and tmux with its buffers, may
/// keep a copy of their own.
public final class Clipboard: Sendable {
    /// The maximum number of bytes to copy; terminals cut or ignore longer sequences.
    public static let limit = 74_994

    private struct Box {
        var isOpen = false
        var requests: [[UInt8]] = []
        /// Whether the last copied text is a secret that has not been cleared.
        var hasSecret = false
    }

    private let box = Mutex(Box())

    /// Creates a clipboard without a terminal; opening a ``CursesTerminal`` with it connects it.
    public init() {}

    /// Queues `bytes` for copying.
    ///
    /// - Parameter isSecret: whether ``clearSecret()``, or closing the terminal, clears the clipboard again.
    /// - Returns: false if no terminal is open, or `bytes` exceeds ``limit``.
    public func copy(_ bytes: some Collection<UInt8>, isSecret: Bool = false) -> Bool {
        guard bytes.count <= Clipboard.limit else { return false }
        let isOpen = box.withLock { box in
            if box.isOpen {
                box.requests.append(Clipboard.sequence(for: bytes))
                box.hasSecret = isSecret
            }
            return box.isOpen
        }
        if isOpen { ct_wake() }
        return isOpen
    }

    /// Queues the clearing of the clipboard if the last text copied through this object is a secret.
    ///
    /// - Returns: false if it is not a secret; the clipboard is unchanged then.
    @discardableResult
    public func clearSecret() -> Bool {
        let isCleared = box.withLock { box in
            defer { box.hasSecret = false }
            if box.isOpen, box.hasSecret { box.requests.append(Clipboard.clearingSequences) }
            return box.isOpen && box.hasSecret
        }
        if isCleared { ct_wake() }
        return isCleared
    }

    /// Starts with a space: tmux and others ignore an empty text, and would keep the secret.
    static let clearingSequences = sequence(for: [UInt8(ascii: " ")]) + sequence(for: [])

    /// Copies a secret through a terminal that no ``CursesTerminal`` has open, and clears the clipboard when `body` has returned. The bytes
    /// are zeroed.
    ///
    /// - Returns: false if `bytes` exceeds ``limit``; then nothing is copied, and `body` is not called.
    public static func hold(_ bytes: inout [UInt8], write: ([UInt8]) -> Void, while body: () async -> Void) async -> Bool {
        defer { erase(&bytes) }
        guard bytes.count <= limit else { return false }
        var sequence = sequence(for: bytes)
        write(sequence)
        erase(&sequence)
        await body()
        write(clearingSequences)
        return true
    }

    func open() { box.withLock { $0 = Box(isOpen: true) } }

    /// Writes the queued sequences, and clears a secret that is still present.
    func close(_ body: (UnsafeRawBufferPointer) -> Void) {
        clearSecret()
        writeRequests(body)
        for var request in drain(closing: true) { Clipboard.erase(&request) }
    }

    /// Passes each queued sequence to `body`, then zeroes it.
    func writeRequests(_ body: (UnsafeRawBufferPointer) -> Void) {
        for var request in drain(closing: false) {
            request.withUnsafeBytes { body($0) }
            Clipboard.erase(&request)
        }
    }

    private func drain(closing: Bool) -> [[UInt8]] {
        box.withLock { box in
            defer {
                box.requests = []
                if closing { box.isOpen = false }
            }
            return box.requests
        }
    }

    private static func erase(_ bytes: inout [UInt8]) {
        bytes.withUnsafeMutableBytes { buffer in
            if let base = buffer.baseAddress { explicit_bzero(base, buffer.count) }
        }
    }

    /// Returns the OSC 52 sequence: `ESC ] 52 ; c ; BASE64 BEL`.
    static func sequence(for bytes: some Collection<UInt8>) -> [UInt8] {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var result = Array("\u{1B}]52;c;".utf8)
        result.reserveCapacity(result.count + (bytes.count + 2) / 3 * 4 + 1)
        var bits: UInt32 = 0
        var count = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 1
            guard count % 3 == 0 else { continue }
            for shift in [18, 12, 6, 0] { result.append(alphabet[Int(bits >> UInt32(shift) & 63)]) }
            bits = 0
        }
        switch count % 3 {
        case 1: result += [alphabet[Int(bits >> 2 & 63)], alphabet[Int(bits << 4 & 63)], UInt8(ascii: "="), UInt8(ascii: "=")]
        case 2:
            result += [
                alphabet[Int(bits >> 10 & 63)], alphabet[Int(bits >> 4 & 63)], alphabet[Int(bits << 2 & 63)], UInt8(ascii: "="),
            ]
        default: break
        }
        result.append(0x07)
        return result
    }
}
