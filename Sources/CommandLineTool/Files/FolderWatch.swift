internal import System

/// Tells when files in some folders were written or came or went.
///
/// A folder that is not there yet, or is made anew, is watched as soon as it is: until then the nearest folder above it tells of its
/// coming.
struct FolderWatch {
    /// Absolute paths.
    let folders: [String]

    /// The stream of changes, several at once told as one; it ends at once where the system has no watch to give.
    func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let names = Set(folders.flatMap { $0.split(separator: "/").map(String.init) })
        let (rearming, rearm) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let events = FolderEvents { events in
            let folderChanged = events.contains { ($0.isFolder && names.contains($0.name)) || $0.kinds.intersects(.folderDeleted) }
            if folderChanged { rearm.yield() }
            // Anything else is the temporary file of an editor, or of ours.
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
                // What was written before the folder was watched.
                continuation.yield()
            }
        }
        continuation.onTermination = { _ in
            task.cancel()
            events.stop()
        }
        return stream
    }

    /// Watches each folder, or what is nearest above it.
    private func arm(_ events: FolderEvents) {
        let files: FolderEvents.Kinds = [.written, .left, .folderDeleted]
        for folder in folders {
            if events.watch(folder, for: files) { continue }
            var above = folder[...]
            while let slash = above.lastIndex(of: "/") {
                above = above[..<slash]
                if events.watch(above.isEmpty ? "/" : String(above), for: .appeared) { break }
            }
            // It may have come in between.
            events.watch(folder, for: files)
        }
    }
}
