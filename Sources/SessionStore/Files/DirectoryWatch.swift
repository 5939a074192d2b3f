import Dispatch
import Glibc

/// Tells when certain names in a folder come or go, by inotify: no polling, and no wake-up without a reason.
struct DirectoryWatch {
    /// Names whose appearance counts.
    var appearing: Set<String>
    /// Names whose disappearance counts.
    var disappearing: Set<String>

    /// The stream of changes in `path`, several at once told as one; it ends at once where the system has no watch to give.
    func changes(in path: String) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard descriptor >= 0 else {
            continuation.finish()
            return stream
        }
        let mask = UInt32(IN_DELETE) | UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_ONLYDIR)
        guard inotify_add_watch(descriptor, path, mask) >= 0 else {
            close(descriptor)
            continuation.finish()
            return stream
        }
        // A dispatch source may be cancelled and let go of from any thread, as its documentation says; the type does not say it.
        nonisolated(unsafe) let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global(qos: .utility))
        source.setEventHandler { if matches(in: descriptor) { continuation.yield() } }
        source.setCancelHandler { close(descriptor) }
        continuation.onTermination = { _ in source.cancel() }
        source.activate()
        return stream
    }

    /// Reads all events that wait; whether one of them counts.
    private func matches(in descriptor: Int32) -> Bool {
        var found = false
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return found }
            buffer.withUnsafeBytes { bytes in
                var offset = 0
                let head = MemoryLayout<inotify_event>.size
                while offset + head <= count {
                    let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                    let end = offset + head + Int(event.len)
                    let name = String(decoding: bytes[offset + head..<min(end, count)].prefix { $0 != 0 }, as: UTF8.self)
                    if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { found = true }
                    found = found || (event.mask & UInt32(IN_DELETE) != 0 ? disappearing : appearing).contains(name)
                    offset = end
                }
            }
        }
    }
}
