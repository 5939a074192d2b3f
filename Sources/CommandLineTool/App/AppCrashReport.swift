internal import AuthModel
internal import CursesBackend
internal import Glibc

extension CommandContext {
    /// Returns the report to write into the state folder if the app crashes; `nil` if that folder cannot be created.
    func crashReport() -> CursesOptions.CrashReport? {
        guard let folder = try? directories.state, (try? PrivateFile.makeDirectory(folder, isPrivate: true)) != nil else { return nil }
        let began = "\(now)"
        return CursesOptions.CrashReport(
            path: "\(folder)/crash-\(began.replacing(":", with: ""))-\(getpid()).txt",
            text: """
                yett \(Program.version) crashed.

                What is lost: nothing that was signed in to. The store is written whole or not at all.
                What to do: start yett again; yett doctor looks for what may be wrong here. If it happens once more, please report it, and
                send this file along. It has no token, no passphrase and no address in it.

                began: \(began)
                system: \(Self.system)

                """)
    }

    /// The kernel and the architecture, such as `Linux 6.1 x86_64`.
    private static var system: String {
        var name = utsname()
        guard uname(&name) == 0 else { return "unknown" }
        func text(_ field: some Any) -> String {
            withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        return [text(name.sysname), text(name.release), text(name.machine)].joined(separator: " ")
    }
}
