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
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
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
