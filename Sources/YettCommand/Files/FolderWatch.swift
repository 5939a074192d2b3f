internal import Dispatch
internal import Glibc

/// Tells when files in some folders were written or came or went, by inotify: no polling, and no wake-up without a reason.
struct FolderWatch {
    /// Folders; those that are not there are left out.
    let folders: [String]

    /// The stream of changes, several at once told as one; it ends at once where the system has no watch to give.
    func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard descriptor >= 0 else {
            continuation.finish()
            return stream
        }
        let mask = UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_TO) | UInt32(IN_MOVED_FROM) | UInt32(IN_DELETE) | UInt32(IN_ONLYDIR)
        for folder in folders { inotify_add_watch(descriptor, folder, mask) }
        // A dispatch source may be cancelled and let go of from any thread, as its documentation says; the type does not say it.
        nonisolated(unsafe) let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global(qos: .utility))
        source.setEventHandler { if Self.countsSomething(descriptor) { continuation.yield() } }
        source.setCancelHandler { close(descriptor) }
        continuation.onTermination = { _ in source.cancel() }
        source.activate()
        return stream
    }

    /// Reads all events that wait; whether one of them is about more than the temporary file of an editor, or of ours.
    private static func countsSomething(_ descriptor: Int32) -> Bool {
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
                    found = found || event.mask & UInt32(IN_Q_OVERFLOW) != 0 || name.hasSuffix(".toml")
                    offset = end
                }
            }
        }
    }
}
