internal import AuthEngine
internal import AuthModel
internal import CursesBackend
internal import OperatingSystem
internal import UserConfiguration

/// Checks the machine: terminal, locale, browser, libraries and loopback.
struct MachineCheckup {
    let context: CommandContext

    var findings: [Finding] {
        [version, terminal, locale, browser, network, encryption, loopback("127.0.0.1"), loopback("::1")].compactMap(\.self)
    }

    /// Checks the library that the socket for oidc-agent's clients needs; `nil` if the configuration has no such socket.
    private var encryption: Finding? {
        guard let configuration = try? context.configurationFile().read(), configuration.agent.servesOIDCAgent else { return nil }
        return OIDCAgentCipher.obstacle.map { .failure("libsodium", $0) } ?? .well("libsodium", "installed")
    }

    /// Checks the library that sends every request.
    private var network: Finding {
        CurlTransport.obstacle.map { .failure("libcurl", $0) } ?? .well("libcurl", CurlTransport.libraryVersion ?? "installed")
    }

    /// The program, for a report of a problem.
    private var version: Finding {
        .well(
            "yett", [Program.version, VersionDetails.commit.map { "commit \($0.prefix(12))" }].compactMap(\.self).joined(separator: ", "))
    }

    private var terminal: Finding {
        let term = context.edges.environment["TERM"] ?? ""
        guard context.edges.streams.isInputTerminal, context.edges.streams.isAnswerTerminal else {
            return .warning("terminal", "not a terminal", hint: "commands work, but the full-screen app needs a terminal")
        }
        guard !["", "dumb"].contains(term), let type = TerminalType(term) else {
            return .warning("terminal", "TERM is '\(term)'", hint: "set TERM to your terminal type, such as xterm-256color")
        }
        guard type.isFallback else { return .well("terminal", term) }
        return .warning(
            "terminal", "no description of '\(term)', so the app uses that of \(type.name)",
            hint: "install its description, such as with: apt install ncurses-term")
    }

    private var locale: Finding {
        context.console.showsUnicode
            ? .well("locale", "UTF-8")
            : .warning("locale", "not UTF-8: names in other scripts are shown as ?", hint: "set LANG to a UTF-8 locale, such as C.UTF-8")
    }

    private var browser: Finding {
        let environment = context.edges.environment
        let userEnvironment = SignInEnvironment(environment: environment)
        if let setting = environment["BROWSER"], !setting.isEmpty {
            let commands = setting.split(separator: ":").compactMap { $0.split(separator: " ").first.map(String.init) }
            guard let found = commands.first(where: { ChildProcess.find($0, in: environment["PATH"]) != nil }) else {
                return .warning("browser", "no program in BROWSER was found", hint: "correct BROWSER, or open URLs yourself")
            }
            return .well("browser", "\(found), from BROWSER")
        }
        let openers = (userEnvironment.isWSL ? ["wslview"] : []) + ["xdg-open"]
        guard let found = openers.first(where: { ChildProcess.find($0, in: environment["PATH"]) != nil }) else {
            return .warning(
                "browser", "\(openers.joined(separator: " and ")) not found",
                hint: "install xdg-utils, set BROWSER, or open URLs yourself")
        }
        guard userEnvironment.hasDisplay || userEnvironment.isWSL else {
            return .warning(
                "browser", "\(found), but no display", hint: "open URLs in a browser elsewhere, and paste back the URL it ends on")
        }
        return .well("browser", found)
    }

    private func loopback(_ address: String) -> Finding {
        let check = address == "::1" ? "loopback v6" : "loopback v4"
        guard let error = LoopbackCheck.bind(address) else { return .well(check, "a port can be opened on \(address)") }
        // One of the two addresses is enough.
        return address == "::1"
            ? .warning(check, "no port can be opened on ::1: \(error.text)", hint: "127.0.0.1 is used instead")
            : .failure(
                check,
                AuthFailure(
                    .configuration, text: "no port can be opened on 127.0.0.1: \(error.text)",
                    hint: "sign-ins need the loopback interface: ip link set lo up"))
    }
}
