import AuthModel
import Glibc
import ProcessHarness

/// The app in this terminal, with a temporary home, for viewing.
struct AppPreview {
    let sessions: Int

    /// Runs the app until the user quits. Returns its exit status.
    func run() async throws -> Int32 {
        let home = try await FilledHome(sessions: sessions, states: SessionState.allCases)
        let program = try Product.program("yett-main")
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(program), strdup("--no-agent"), nil]
        var variables = environment(of: home).map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for string in arguments + variables { free(string) } }
        var process = pid_t()
        guard posix_spawn(&process, program, nil, nil, &arguments, &variables) == 0 else { throw HarnessError("cannot start \(program)") }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f)
    }

    /// Returns the home's environment with this terminal's variables.
    private func environment(of home: FilledHome) -> [String: String] {
        let own: [(String, String)] = ["TERM", "COLORTERM", "LANG", "LC_ALL", "LC_MESSAGES", "NO_COLOR"].compactMap { (name: String) in
            getenv(name).map { value in (name, String(cString: value)) }
        }
        return home.environment.merging(own) { $1 }
    }
}

extension SessionRecord {
    /// Changes the record so that the session is in a state. For states that depend on the time, changes the expiry.
    mutating func settle(_ state: SessionState, at now: Timestamp) {
        switch state {
        case .signedIn: break
        case .expiring: summary.accessExpiresAt = now + .seconds(40)
        case .expired: summary.accessExpiresAt = now - .seconds(600)
        case .guest, .signingIn, .renewing, .needsSignIn, .revoked, .error:
            summary.recordedState = state
            if state == .error { summary.warnings = ["server error at provider: the renewal failed with status 503"] }
        }
    }
}
