internal import AuthModel

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
