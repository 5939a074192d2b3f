internal import AuthEngine
internal import CVersion
internal import CursesBackend
internal import SessionStore
internal import OperatingSystem

/// The output of `yett --version --verbose`: the program and the libraries that it uses on this machine.
enum VersionDetails {
    /// The commit that the program was built from; `nil` for a development build.
    static var commit: String? {
        let text = String(cString: cversion_commit())
        return text.isEmpty ? nil : text
    }

    static var lines: [String] {
        [
            "yett \(Program.version)",
            "commit: \(commit ?? "unknown (a development build)")",
            "curl: \(CurlTransport.libraryVersion ?? "missing")",
            "sqlite: \(SessionStore.libraryVersion)",
            "curses: \(CursesTerminal.libraryVersion)",
            "libc: \(SystemLibrary.version)",
        ]
    }
}
