package import AuthModel
import Glibc
import OperatingSystem

/// The folders for the program's files (XDG Base Directory Specification 0.8).
///
/// An empty or relative variable counts as not set. `HOME` is needed only for a folder whose own variable is not set.
package struct Directories: Equatable, Sendable {
    private let environment: [String: String]

    package init(environment: [String: String]) { self.environment = environment }

    /// The folder for the configuration and the user's themes.
    package var configuration: String { get throws(AuthFailure) { try place("XDG_CONFIG_HOME", ".config") } }
    /// The folder for the store.
    package var data: String { get throws(AuthFailure) { try place("XDG_DATA_HOME", ".local/share") } }
    /// The folder for logs.
    package var state: String { get throws(AuthFailure) { try place("XDG_STATE_HOME", ".local/state") } }
    /// The folder for provider metadata.
    package var cache: String { get throws(AuthFailure) { try place("XDG_CACHE_HOME", ".cache") } }

    /// The administrator's folders, most preferred first: `yett` in each absolute folder of `XDG_CONFIG_DIRS`, or in `/etc/xdg`.
    package var system: [String] {
        let text = environment["XDG_CONFIG_DIRS"] ?? ""
        var seen: Set<String> = []
        return (text.isEmpty ? "/etc/xdg" : text).split(separator: ":").compactMap { Self.absolute(String($0)) }
            .map { $0 == "/" ? "/yett" : $0 + "/yett" }.filter { seen.insert($0).inserted }
    }

    /// The home folder; `nil` if `HOME` is not set or not absolute.
    package var home: String? { absolute("HOME") }

    private func place(_ variable: String, _ fallback: String) throws(AuthFailure) -> String {
        if let base = absolute(variable) { return base + "/yett" }
        guard let home else {
            throw AuthFailure(
                .configuration, "config.home_not_absolute", hint: UserMessage("hint.set_home_or_variable", ["variable": variable]))
        }
        return "\(home)/\(fallback)/yett"
    }

    private func absolute(_ variable: String) -> String? { environment[variable].flatMap(Self.absolute) }

    private static func absolute(_ text: String) -> String? {
        guard text.hasPrefix("/") else { return nil }
        var path = text
        while path.count > 1, path.last == "/" { path.removeLast() }
        return path
    }
}

/// A temporary folder that only the user can enter.
package struct TemporaryFolder {
    package let path: String

    /// Creates a folder below `TMPDIR`, with mode 0700.
    package init(prefix: String, environment: [String: String]) throws(AuthFailure) {
        let base = environment["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        var template = Array("\(base)/\(prefix)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError.last.failure("phrase.create_a_folder_in", base) }
        path = String(decoding: template.dropLast().map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
    }

    /// Wraps an existing folder.
    package init(existing path: String) { self.path = path }

    /// Removes the folder and its content; removes symbolic links without following them.
    package func remove() { Self.remove(path) }

    private static func remove(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            unlink(path)
            return
        }
        for name in FolderListing.names(in: path) { remove("\(path)/\(name)") }
        rmdir(path)
    }
}

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
