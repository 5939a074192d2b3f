internal import Agent
internal import AuthEngine
internal import AuthModel
internal import CursesBackend
internal import Glibc
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
        let surroundings = Surroundings(environment: environment)
        if let setting = environment["BROWSER"], !setting.isEmpty {
            let commands = setting.split(separator: ":").compactMap { $0.split(separator: " ").first.map(String.init) }
            guard let found = commands.first(where: { ChildProcess.find($0, in: environment["PATH"]) != nil }) else {
                return .warning("browser", "no program in BROWSER was found", hint: "correct BROWSER, or open URLs yourself")
            }
            return .well("browser", "\(found), from BROWSER")
        }
        let openers = (surroundings.isWSL ? ["wslview"] : []) + ["xdg-open"]
        guard let found = openers.first(where: { ChildProcess.find($0, in: environment["PATH"]) != nil }) else {
            return .warning(
                "browser", "\(openers.joined(separator: " and ")) not found",
                hint: "install xdg-utils, set BROWSER, or open URLs yourself")
        }
        guard surroundings.hasDisplay || surroundings.isWSL else {
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

/// Tests whether a port can be opened on a loopback address.
enum LoopbackCheck {
    /// Opens and closes any free port on `address`. Returns the error if that fails.
    static func bind(_ address: String) -> SystemError? {
        let isV6 = address.contains(":")
        let descriptor = socket(isV6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return .last }
        defer { close(descriptor) }
        var v4 = sockaddr_in()
        v4.sin_family = sa_family_t(AF_INET)
        v4.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var v6 = sockaddr_in6()
        v6.sin6_family = sa_family_t(AF_INET6)
        inet_pton(AF_INET6, "::1", &v6.sin6_addr)
        return (isV6 ? bind(descriptor, to: v6) : bind(descriptor, to: v4)) == 0 ? nil : .last
    }

    private static func bind<Address>(_ descriptor: Int32, to address: Address) -> Int32 {
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }
}
