import System

/// Tells when certain names in a folder come or go.
struct DirectoryWatch {
    /// Names whose appearance counts.
    var appearing: Set<String>
    /// Names whose disappearance counts.
    var disappearing: Set<String>

    /// The stream of changes in `path`, several at once told as one; it ends at once where the system has no watch to give, and after the
    /// one that took the folder away.
    func changes(in path: String) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let events = FolderEvents { events in
            let isOver = events.contains { $0.kinds.intersects([.folderDeleted, .folderMoved]) }
            if isOver || events.contains(where: counts) { continuation.yield() }
            if isOver { continuation.finish() }
        }
        guard let events, events.watch(path, for: [.appeared, .left, .folderDeleted, .folderMoved]) else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { _ in events.stop() }
        return stream
    }

    private func counts(_ event: FolderEvents.Event) -> Bool {
        event.kinds.intersects(.overflowed) || (event.kinds.intersects(.left) ? disappearing : appearing).contains(event.name)
    }
}
