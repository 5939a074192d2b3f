internal import OperatingSystem

/// Reports when files in the given folders are written, added or removed.
///
/// Watches a folder that is missing or is created again as soon as it exists; until then it watches the nearest existing parent.
package struct FolderWatch {
    /// The absolute paths of the folders.
    package let folders: [String]

    /// Creates a watch on folders, by their absolute paths.
    package init(folders: [String]) {
        self.folders = folders
    }

    /// Returns the stream of changes; simultaneous changes are reported as one. The stream ends at once if the system provides no watch.
    package func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let names = Set(folders.flatMap { $0.split(separator: "/").map(String.init) })
        let (rearming, rearm) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let events = FolderEvents { events in
            let folderChanged = events.contains { ($0.isFolder && names.contains($0.name)) || $0.kinds.intersects(.folderDeleted) }
            if folderChanged { rearm.yield() }
            // Other files are temporary files of editors or of this program.
            if folderChanged || events.contains(where: { $0.kinds.intersects(.overflowed) || $0.name.hasSuffix(".toml") }) {
                continuation.yield()
            }
        }
        guard let events else {
            continuation.finish()
            return stream
        }
        arm(events)
        let task = Task {
            for await _ in rearming {
                arm(events)
                // Files may have been written before the watch on the folder started.
                continuation.yield()
            }
        }
        continuation.onTermination = { _ in
            task.cancel()
            events.stop()
        }
        return stream
    }

    /// Watches each folder, or its nearest existing parent.
    private func arm(_ events: FolderEvents) {
        let files: FolderEvents.Kinds = [.written, .left, .folderDeleted]
        for folder in folders {
            if events.watch(folder, for: files) { continue }
            var above = folder[...]
            while let slash = above.lastIndex(of: "/") {
                above = above[..<slash]
                if events.watch(above.isEmpty ? "/" : String(above), for: .appeared) { break }
            }
            // The folder may have been created in the meantime.
            events.watch(folder, for: files)
        }
    }
}
