internal import Agent
internal import AuthModel
internal import Glibc
internal import Localization
internal import OperatingSystem
internal import Synchronization
internal import UserConfiguration

/// Signs the user in, once for a command, when a tool needs a token of a session that is missing or has ended: `sign_in = "on-demand"`.
final class OnDemandSignIn: Sendable {
    private let context: CommandContext
    private let isUsed = Mutex(false)

    init(_ context: CommandContext) { self.context = context }

    /// Runs a sign-in for a session; throws `failure`, why it is needed, if there may be none.
    fileprivate func run(_ session: SessionName, because failure: AuthFailure) async throws(AuthFailure) {
        guard [.notSignedIn, .signInAgain].contains(failure.kind),
            let provider = try context.configurationFile().read().providers.first(where: { $0.name == session.provider }),
            provider.signInMode == .onDemand,
            // The sessions are on another machine, and so is their user.
            context.agentLocation.remoteSocket == nil
        else { throw failure }
        // The agent is no program of a terminal or a desktop: the full program finds out who is at the caller's.
        guard context.edges.sessionService == nil else { throw LauncherCommand.needsProgram }
        let presence = context.edges.userPresence()
        guard presence.isPresent, claim() else { throw failure }
        context.console.note("you must sign in: \(failure.summary)")
        let status = await (try context.signInTurn(at: provider.name.text)).run {
            await context.login([session.description], at: presence.terminal == .foreground ? .terminal : .standardError)
        }
        guard !Task.isCancelled else { throw AuthFailure(.cancelled, text: "the sign-in was cancelled") }
        guard let status else { throw failure }
        guard !LoginProcess.isSignedIn(after: status) else { return }
        throw AuthFailure(
            AuthFailure.Kind(exitCode: status) ?? failure.kind, text: "the sign-in at \(provider.name) did not succeed",
            hint: "try again with: yett login \(session.shellWord)")
    }

    /// Returns whether this is the first sign-in of the command.
    private func claim() -> Bool {
        isUsed.withLock { isUsed in
            defer { isUsed = true }
            return !isUsed
        }
    }
}

extension OnDemandSignIn? {
    /// Runs `body`. If it fails because the user must sign in, and may do so now, runs a sign-in and `body` once more.
    ///
    /// Throws the failure of `body` if there is no sign-in, otherwise how the sign-in ended.
    ///
    /// - Parameter session: the session that `body` needs; `nil` if that is unknown, and then there is no sign-in.
    func retrying<Value>(
        _ session: @autoclosure () -> SessionName?, _ body: () async throws(AuthFailure) -> Value
    ) async throws(AuthFailure) -> Value {
        do throws(AuthFailure) {
            return try await body()
        } catch {
            guard let self, let session = session() else { throw error }
            try await self.run(session, because: error)
        }
        return try await body()
    }
}

extension AuthFailure.Kind {
    /// Returns the kind of failure that ended another process of this program; `nil` if its exit status tells nothing that the user could
    /// act on.
    init?(exitCode: Int32) {
        let kinds: [AuthFailure.Kind] = [
            .configuration, .cancelled, .timedOut, .denied(code: nil), .signInAgain, .unavailable(retryAfter: nil), .security, .notSignedIn,
        ]
        guard let kind = kinds.first(where: { AuthFailure($0, text: "").exitCode == exitCode }) else { return nil }
        self = kind
    }
}

extension CommandContext {
    /// Returns the only configured provider as the name of a session; `nil` if there are several.
    func onlyProvider() throws(AuthFailure) -> SessionName? {
        let providers = try configurationFile().read().providers
        return providers.count == 1 ? SessionName(provider: providers[0].name, account: nil) : nil
    }
}

/// Whether a user can see and answer a sign-in that a tool's request starts. Nothing else decides it.
///
/// A foreground process of a terminal has a user. So does a program of a desktop that has no terminal, such as an editor. Jobs in the
/// background, in a CI system, of cron, of a systemd service, or in an ssh connection without a terminal have none.
struct UserPresence: Equatable, Sendable {
    /// The relation of this process to its controlling terminal.
    enum Terminal: Sendable {
        /// There is no controlling terminal.
        case none
        /// This process may not read from the terminal now: it is a job in the background.
        case background
        /// This process belongs to the job in the foreground.
        case foreground
    }

    /// The controlling terminal.
    var terminal = Terminal.none
    /// Whether a program at the terminal reads single keys, such as an editor, so that a typed line could be meant for it.
    var isReadingKeys = false
    /// The environment variables.
    var environment: [String: String] = [:]
    /// The control group that systemd runs this process in, such as `cron.service`; `nil` if the kernel does not tell.
    var unit: String?

    /// Whether the user is at the terminal of this process and can answer a question there.
    var canAnswerAtTerminal: Bool { terminal == .foreground && isPresent }

    var isPresent: Bool {
        guard !refusesQuestions else { return false }
        switch terminal {
        case .foreground: return true
        case .background: return false
        case .none: return hasDesktop && !isRemote && !isService
        }
    }

    /// Whether the environment says that no user can answer.
    private var refusesQuestions: Bool {
        if let automation = environment["CI"], !["", "0", "false"].contains(automation.lowercased()) { return true }
        return environment["GIT_TERMINAL_PROMPT"] == "0"
    }

    private var hasDesktop: Bool { isSet("DISPLAY") || isSet("WAYLAND_DISPLAY") }

    /// Whether the process was started through ssh, which can forward the display of a machine that no user looks at.
    private var isRemote: Bool { isSet("SSH_CONNECTION") || isSet("SSH_CLIENT") }

    /// Whether the process is a service of systemd, to which a user's manager passes the desktop's variables. The desktop's own programs are
    /// services too, whose names begin with `app-`, or with `dbus-` if D-Bus started them.
    private var isService: Bool {
        guard let unit, unit.hasSuffix(".service") else { return false }
        return !unit.hasPrefix("app-") && !unit.hasPrefix("dbus-")
    }

    private func isSet(_ variable: String) -> Bool { environment[variable]?.isEmpty == false }
}

extension UserPresence {
    /// Returns the facts about this process.
    static func system(_ environment: [String: String]) -> UserPresence {
        var presence = UserPresence(environment: environment, unit: ownUnit())
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard terminal >= 0 else { return presence }
        defer { close(terminal) }
        presence.terminal = tcgetpgrp(terminal) == getpgrp() ? .foreground : .background
        var settings = termios()
        presence.isReadingKeys = tcgetattr(terminal, &settings) == 0 && settings.c_lflag & tcflag_t(ICANON) == 0
        return presence
    }

    /// Returns the last part of the path in `/proc/self/cgroup` (cgroups(7)).
    private static func ownUnit() -> String? {
        guard let bytes = try? RegularFile.read("/proc/self/cgroup", limit: 1 << 16) else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        let line = lines.first { $0.hasPrefix("0::") } ?? lines.first { $0.contains(":name=systemd:") }
        return line?.split(separator: "/").last.map(String.init)
    }
}
