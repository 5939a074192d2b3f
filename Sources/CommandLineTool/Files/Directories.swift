internal import AuthModel

/// Where the program keeps its files (XDG Base Directory Specification 0.8).
///
/// A variable that is empty or relative counts as not set. `HOME` is needed only for what its own variable does not place.
struct Directories: Equatable, Sendable {
    private let environment: [String: String]

    init(environment: [String: String]) { self.environment = environment }

    /// Configuration and the person's themes.
    var configuration: String { get throws(AuthFailure) { try place("XDG_CONFIG_HOME", ".config") } }
    /// The store.
    var data: String { get throws(AuthFailure) { try place("XDG_DATA_HOME", ".local/share") } }
    /// Logs.
    var state: String { get throws(AuthFailure) { try place("XDG_STATE_HOME", ".local/state") } }
    /// Metadata of providers.
    var cache: String { get throws(AuthFailure) { try place("XDG_CACHE_HOME", ".cache") } }

    /// The home; `nil` where it is not set or not absolute.
    var home: String? { absolute("HOME") }

    private func place(_ variable: String, _ fallback: String) throws(AuthFailure) -> String {
        if let base = absolute(variable) { return base + "/yett" }
        guard let home else {
            throw AuthFailure(.configuration, "HOME is not set to an absolute path", hint: "set HOME, or \(variable)")
        }
        return "\(home)/\(fallback)/yett"
    }

    private func absolute(_ variable: String) -> String? {
        guard var path = environment[variable], path.hasPrefix("/") else { return nil }
        while path.count > 1, path.last == "/" { path.removeLast() }
        return path
    }
}
