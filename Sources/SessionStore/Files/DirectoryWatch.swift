import Dispatch
import Glibc

/// Tells when certain names in a folder come or go, by inotify: no polling, and no wake-up without a reason.
struct DirectoryWatch {
    /// Names whose appearance counts.
    var appearing: Set<String>
    /// Names whose disappearance counts.
    var disappearing: Set<String>

    /// The stream of changes in `path`, several at once told as one; it ends at once where the system has no watch to give, and after the one that
    /// took the folder away.
    func changes(in path: String) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard descriptor >= 0 else {
            continuation.finish()
            return stream
        }
        let mask = Self.leaving | Self.ending | UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_ONLYDIR)
        guard inotify_add_watch(descriptor, path, mask) >= 0 else {
            close(descriptor)
            continuation.finish()
            return stream
        }
        // A dispatch source may be cancelled and let go of from any thread, as its documentation says; the type does not say it.
        nonisolated(unsafe) let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global(qos: .utility))
        source.setEventHandler {
            let (found, isOver) = matches(in: descriptor)
            if found { continuation.yield() }
            if isOver { continuation.finish() }
        }
        source.setCancelHandler { close(descriptor) }
        continuation.onTermination = { _ in source.cancel() }
        source.activate()
        return stream
    }

    /// A name left the folder.
    private static let leaving = UInt32(IN_DELETE) | UInt32(IN_MOVED_FROM)
    /// The folder itself is gone.
    private static let ending = UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF)

    /// Reads all events that wait; whether one of them counts, and whether the folder is gone.
    private func matches(in descriptor: Int32) -> (found: Bool, isOver: Bool) {
        var found = false
        var isOver = false
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return (found || isOver, isOver) }
            buffer.withUnsafeBytes { bytes in
                var offset = 0
                let head = MemoryLayout<inotify_event>.size
                while offset + head <= count {
                    let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                    let end = offset + head + Int(event.len)
                    let name = String(decoding: bytes[offset + head..<min(end, count)].prefix { $0 != 0 }, as: UTF8.self)
                    if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { found = true }
                    if event.mask & Self.ending != 0 { isOver = true }
                    found = found || (event.mask & Self.leaving != 0 ? disappearing : appearing).contains(name)
                    offset = end
                }
            }
        }
    }
}
