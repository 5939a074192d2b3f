import OperatingSystem

/// Watches a folder for the appearance and disappearance of certain names.
struct DirectoryWatch {
    /// Names whose appearance is reported.
    var appearing: Set<String>
    /// Names whose disappearance is reported.
    var disappearing: Set<String>

    /// Returns a stream of changes in `path`; several changes at once are reported as one. It finishes at once if the system provides no
    /// watch, and after the change that removed or moved the folder.
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
