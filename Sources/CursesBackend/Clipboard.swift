internal import CTerminal
internal import Glibc
internal import Synchronization

/// Puts text on the clipboard of the user's machine through the terminal (OSC 52), also across ssh. Any thread may ask; the thread that
/// owns the terminal writes. The terminal is never asked what is on the clipboard: its answer would arrive as if it were typed.
///
/// Whether the terminal does it cannot be known: many ask the user first, some ignore it. A secret counts as ours until something else is
/// copied through here; what other programs copy meanwhile cannot be seen, and is cleared with it. A secret that is still ours when the
/// terminal is given back is cleared then. Clipboard managers, and tmux with its buffers, may keep a copy of their own.
public final class Clipboard: Sendable {
    /// The most bytes that are sent; terminals cut or ignore longer sequences.
    public static let limit = 74_994

    private struct Box {
        var isOpen = false
        var requests: [[UInt8]] = []
        /// Whether the last thing that was copied is a secret that was not cleared.
        var hasSecret = false
    }

    private let box = Mutex(Box())

    public init() {}

    /// Asks for `bytes` to be copied.
    ///
    /// - Parameter isSecret: whether ``clearSecret()``, or the end, is to take them off again.
    /// - Returns: false when no terminal is open, or there are too many bytes.
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

    /// Asks for the clipboard to be emptied, where the last thing that was copied through here is a secret.
    ///
    /// - Returns: false where it is not, and nothing was done.
    @discardableResult
    public func clearSecret() -> Bool {
        let isCleared = box.withLock { box in
            defer { box.hasSecret = false }
            if box.isOpen, box.hasSecret { box.requests.append(Clipboard.emptying) }
            return box.isOpen && box.hasSecret
        }
        if isCleared { ct_wake() }
        return isCleared
    }

    /// A blank first: tmux and others ignore an empty text, and would keep the secret.
    static let emptying = sequence(for: [UInt8(ascii: " ")]) + sequence(for: [])

    func open() { box.withLock { $0 = Box(isOpen: true) } }

    /// Writes what waits, and clears a secret that is still ours.
    func close(_ body: (UnsafeRawBufferPointer) -> Void) {
        clearSecret()
        writeRequests(body)
        for var request in drain(closing: true) { Clipboard.erase(&request) }
    }

    /// Hands each sequence that waits to `body`, and zeroes it.
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

    /// `ESC ] 52 ; c ; BASE64 BEL`
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
