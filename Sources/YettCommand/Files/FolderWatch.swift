internal import Dispatch
internal import Glibc

/// Tells when files in some folders were written or came or went, by inotify: no polling, and no wake-up without a reason.
///
/// A folder that is not there yet, or is made anew, is watched as soon as it is: until then the nearest folder above it tells of its coming.
struct FolderWatch {
    /// Absolute paths.
    let folders: [String]

    private static let files = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE) | UInt32(IN_DELETE_SELF)
    private static let arrivals = UInt32(IN_CREATE | IN_MOVED_TO)

    /// The stream of changes, several at once told as one; it ends at once where the system has no watch to give.
    func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard descriptor >= 0 else {
            continuation.finish()
            return stream
        }
        arm(descriptor)
        // A dispatch source may be cancelled and let go of from any thread, as its documentation says; the type does not say it.
        nonisolated(unsafe) let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global(qos: .utility))
        let names = Set(folders.flatMap { $0.split(separator: "/").map(String.init) })
        source.setEventHandler {
            let news = Self.read(descriptor, folders: names)
            if news.folders { arm(descriptor) }
            if news.files || news.folders { continuation.yield() }
        }
        source.setCancelHandler { close(descriptor) }
        continuation.onTermination = { _ in source.cancel() }
        source.activate()
        return stream
    }

    /// Watches each folder, or what is nearest above it. Watching again what is watched changes nothing.
    private func arm(_ descriptor: Int32) {
        for folder in folders {
            let add = UInt32(IN_MASK_ADD) | UInt32(IN_ONLYDIR)
            if inotify_add_watch(descriptor, folder, Self.files | add) >= 0 { continue }
            var above = folder[...]
            while let slash = above.lastIndex(of: "/") {
                above = above[..<slash]
                if inotify_add_watch(descriptor, above.isEmpty ? "/" : String(above), Self.arrivals | add) >= 0 { break }
            }
            // It may have come in between.
            inotify_add_watch(descriptor, folder, Self.files | add)
        }
    }

    /// Reads all events that wait; whether one of them is about more than the temporary file of an editor, or of ours, and whether one of
    /// the folders, or one above them, came or went.
    private static func read(_ descriptor: Int32, folders: Set<String>) -> (files: Bool, folders: Bool) {
        var found = (files: false, folders: false)
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return found }
            buffer.withUnsafeBytes { bytes in
                var offset = 0
                let head = MemoryLayout<inotify_event>.size
                while offset + head <= count {
                    let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                    let end = offset + head + Int(event.len)
                    let name = String(decoding: bytes[offset + head..<min(end, count)].prefix { $0 != 0 }, as: UTF8.self)
                    let isFolder = event.mask & UInt32(IN_ISDIR) != 0 && folders.contains(name)
                    found.folders = found.folders || isFolder || event.mask & UInt32(IN_DELETE_SELF) != 0
                    found.files = found.files || event.mask & UInt32(IN_Q_OVERFLOW) != 0 || name.hasSuffix(".toml")
                    offset = end
                }
            }
        }
    }
}
