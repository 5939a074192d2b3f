internal import AuthModel
internal import CursesBackend
internal import Glibc
internal import UserConfiguration

extension CommandContext {
    /// Returns the report to write into the state folder if the app crashes; `nil` if that folder cannot be created.
    func crashReport() -> CursesOptions.CrashReport? {
        guard let folder = try? directories.state, (try? PrivateFile.makeDirectory(folder, isPrivate: true)) != nil else { return nil }
        let began = "\(now)"
        return CursesOptions.CrashReport(
            path: "\(folder)/crash-\(began.replacing(":", with: ""))-\(getpid()).txt",
            text: """
                yett \(Program.version) crashed.

                Your sessions are not lost: the store is always written completely or not at all.
                Start yett again, and run yett doctor to check this machine. If the crash happens again, please report it and attach
                this file. The file contains no tokens, passphrases or URLs.

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
