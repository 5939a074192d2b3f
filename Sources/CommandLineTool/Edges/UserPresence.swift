internal import Glibc
internal import OperatingSystem

/// The facts that decide whether a user can see and answer a sign-in that a tool's request starts.
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

    /// Whether the process is a service of systemd, to which a user's manager passes the desktop's variables. The desktop's own programs
    /// are services too, whose names begin with `app-`, or with `dbus-` if D-Bus started them.
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
        guard let terminal = TypedLine.terminal() else { return presence }
        defer { close(terminal) }
        presence.terminal = tcgetpgrp(terminal) == getpgrp() ? .foreground : .background
        presence.isReadingKeys = TypedLine.readsKeys(terminal)
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
