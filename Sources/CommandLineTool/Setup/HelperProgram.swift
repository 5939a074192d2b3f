internal import AuthModel
internal import UserConfiguration

/// A program named `docker-credential-…`, which docker finds in `PATH`.
///
/// `docker-credential-yett` lets Yett choose the session by the registry. A session of one account has a program of its own, because
/// docker passes no argument that could name the session.
struct HelperProgram: Sendable {
    /// The name that `credHelpers` has.
    let suffix: String
    /// The session that the program names; `nil` for one that chooses it by the registry.
    let session: SessionName?
    private let environment: SetupEnvironment

    var name: String { "docker-credential-\(suffix)" }
    private static let prefix = "docker-credential-"
    private static let general = "yett"

    /// The folder for programs of the user (XDG Base Directory Specification).
    private var folder: String { environment.home + "/.local/bin" }
    private var path: String { "\(folder)/\(name)" }

    /// Creates the program for a session.
    init(session: SessionName, in environment: SetupEnvironment) {
        self.session = session.account == nil ? nil : session
        suffix = session.account.map { "\(Self.general)-\(session.provider)-\($0.replacing("/", with: "-"))" } ?? Self.general
        self.environment = environment
    }

    /// Finds the program that `credHelpers` names; `nil` if it is not one of Yett. Throws `.configuration` if it cannot be read.
    init?(suffix: String, in environment: SetupEnvironment) throws(AuthFailure) {
        guard suffix == Self.general || suffix.hasPrefix(Self.general + "-"), !suffix.contains("/") else { return nil }
        self.suffix = suffix
        self.environment = environment
        let path = environment.program(Self.prefix + suffix) ?? environment.home + "/.local/bin/" + Self.prefix + suffix
        let text = try suffix == Self.general ? nil : PrivateFile.read(path).map { String(decoding: $0, as: UTF8.self) }
        let line = text?.split(separator: "\n").first { $0.hasPrefix("exec ") }?.dropFirst("exec ".count)
        session = line.flatMap { HelperLine(HelperLine.words(of: String($0)).filter { $0 != "$@" }, helper: "docker") }?.session
    }

    private var text: String {
        let words = ["yett", "helper", "docker"] + (session.map { [$0.description] } ?? [])
        return "#!/usr/bin/env sh\nexec \(words.shellLine) \"$@\"\n"
    }

    /// Returns the edit that creates the program; `nil` if it is in `PATH` already. Throws `.configuration` if its folder is not in `PATH`,
    /// or if another file has its name.
    func creation() throws(AuthFailure) -> FileEdit? {
        if let found = environment.program(name), found != path || session == nil { return nil }
        guard environment.variables["PATH"]?.split(separator: ":").contains(where: { $0 == folder || $0 == folder + "/" }) == true else {
            throw AuthFailure(
                .configuration, text: "\(folder) is not in PATH, where docker looks for \(name)",
                hint: "add it, such as: export PATH=\(ShellWord(folder)):\"$PATH\"")
        }
        let present = try PrivateFile.read(path)
        guard present != Array(text.utf8) || environment.program(name) == nil else { return nil }
        guard present == nil || present == Array(text.utf8) else {
            throw AuthFailure(.configuration, text: "\(path) is another program", hint: "move it away, and run the command again")
        }
        return FileEdit(path: path, before: present, after: text, isProgram: true)
    }

    /// Returns the edit that removes the program; `nil` if it is not in the user's folder, or not as a setup writes it.
    func removal() throws(AuthFailure) -> FileEdit? {
        guard let present = try PrivateFile.read(path), present == Array(text.utf8), !FileSnapshot.isLink(path) else { return nil }
        return FileEdit(path: path, before: present, after: "", isRemoval: true)
    }
}
