internal import ArgumentParser
internal import AuthModel
internal import Sandbox

/// `yett sandbox`: runs test providers on loopback.
struct SandboxCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "sandbox", abstract: "Run providers on loopback, to try things at.",
        discussion: """
            An OpenID provider, and the systems of vendors as far as their wire is known, each on a port of its own. They run until Ctrl-C. \
            Nothing they give out is worth anything, and the OpenID provider's passwords stand on its sign-in page. \
            yett help sandbox-vendors tells the vendors' endpoints and settings, and how the log of requests is read.
            """)

    @Option(help: ArgumentHelp("The port on 127.0.0.1; 0 for any that is free. Vendors get the ports behind it.", valueName: "port"))
    var port = 0

    @Option(help: ArgumentHelp("Sign this person in without any page.", valueName: "user"))
    var autoApprove: String?

    @Option(name: .customLong("fault"), help: ArgumentHelp("Something to do wrong; may be repeated. See --list-faults.", valueName: "name"))
    var faults: [String] = []

    @Flag(help: "List what it can do wrong.")
    var listFaults = false

    @Option(help: ArgumentHelp("How long access tokens and ID tokens last.", valueName: "seconds"))
    var accessLifetime: Int?

    @Option(help: ArgumentHelp("How long refresh tokens last.", valueName: "seconds"))
    var refreshLifetime: Int?

    @Option(help: ArgumentHelp("When a refresh token is given: offline_access, always or never.", valueName: "when"))
    var refreshTokens: String?

    @Option(help: ArgumentHelp("What signs ID tokens: RS256, ES256 or EdDSA.", valueName: "algorithm"))
    var algorithm: String?

    @Option(help: ArgumentHelp("A path that belongs to the issuer, such as /tenant/a.", valueName: "path"))
    var issuerPath: String?

    @Option(
        name: .customLong("vendor"),
        help: ArgumentHelp("A vendor's system to run beside the OpenID provider, or none; may be repeated.", valueName: "name"))
    var vendors: [String] = []

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp("Turn a knob of a vendor's system; may be repeated. See --list-knobs.", valueName: "vendor.knob=value"))
    var settings: [String] = []

    @Flag(help: "List what can be turned at the vendors' systems.")
    var listKnobs = false

    @Flag(help: "Answer GET /__log with the requests so far, credentials included; at vendors' systems, POST /__set turns knobs.")
    var requestLog = false

    @Flag(help: "Print JSON instead of a configuration.")
    var json = false

    @OptionGroup var options: GlobalOptionsHelp

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port goes from 0 to 65535") }
        for (name, value) in [("--access-lifetime", accessLifetime), ("--refresh-lifetime", refreshLifetime)] {
            if let value, !(1...31_536_000).contains(value) { throw ValidationError("\(name) goes from 1 second to a year") }
        }
    }

    func run(in context: CommandContext) async throws {
        if listFaults { return try context.console.lines(Self.faultTable) }
        if listKnobs { return try context.console.lines(Self.knobTable) }
        let set: SandboxSet
        do {
            set = try await SandboxSet.start(sandboxConfiguration(), vendorChoice())
        } catch let error as UnknownSandboxSetting {
            throw Self.unknown(error)
        }
        do {
            try context.console.answer(SandboxNotice(running: set), asJSON: json)
        } catch {
            await set.stop()
            throw error
        }
        if !json { tellPeople(on: context.console) }
        await set.runUntilCancelled()
    }

    private static var knobTable: [String] {
        var table = Table("KNOB", "WHAT IT TURNS")
        for vendor in Vendor.allCases {
            for setting in vendor.settings { table.add(["\(vendor.rawValue).\(setting.name)", setting.summary]) }
        }
        return table.lines
    }

    private func vendorChoice() throws(AuthFailure) -> SandboxSet.Choice {
        var choice = SandboxSet.Choice()
        if !vendors.isEmpty {
            choice.vendors = []
            for name in vendors where name != "none" { choice.vendors.append(try Self.vendor(name)) }
        }
        for text in settings {
            guard let dot = text.firstIndex(of: "."), let sign = text.firstIndex(of: "="), dot < sign else {
                throw AuthFailure(.usage, "'\(text)' turns no knob", hint: "write vendor.knob=value; see: yett sandbox --list-knobs")
            }
            let word = String(text[text.index(after: sign)...])
            choice.settings.append(
                (
                    try Self.vendor(String(text[..<dot])), String(text[text.index(after: dot)..<sign]),
                    (try? JSONValue(strict: word)) ?? .string(word)
                ))
        }
        return choice
    }

    private static func vendor(_ name: String) throws(AuthFailure) -> Vendor {
        guard let vendor = Vendor(rawValue: name) else { throw unknown("vendor", name, known: Vendor.allCases.map(\.rawValue)) }
        return vendor
    }

    private static func unknown(_ setting: UnknownSandboxSetting) -> AuthFailure {
        guard !setting.isKnown else {
            return AuthFailure(
                .usage, "the knob '\(setting.name)' cannot be turned to that", hint: "yett sandbox --list-knobs says what it takes")
        }
        return AuthFailure(
            .usage, "there is no knob '\(setting.name)'",
            hint: setting.nearest.map { "did you mean: \($0)?" } ?? "yett sandbox --list-knobs lists them")
    }

    private static var faultTable: [String] {
        var table = Table("FAULT", "WHAT IT DOES")
        for fault in Fault.allCases { table.add([fault.name, fault.summary]) }
        return table.lines
    }

    private func sandboxConfiguration() throws(AuthFailure) -> SandboxConfiguration {
        var configuration = SandboxConfiguration(port: port, issuerPath: issuerPath ?? "", showsRequestLog: requestLog)
        if let autoApprove {
            let people = configuration.people.map(\.username)
            guard people.contains(autoApprove) else { throw Self.unknown("person", autoApprove, known: people) }
            configuration.autoApproves = autoApprove
        }
        if let accessLifetime {
            configuration.lifetimes.accessToken = .seconds(accessLifetime)
            configuration.lifetimes.idToken = .seconds(accessLifetime)
        }
        if let refreshLifetime { configuration.lifetimes.refreshToken = .seconds(refreshLifetime) }
        configuration.refreshTokens = try word(refreshTokens, "value", else: configuration.refreshTokens)
        configuration.idTokenAlgorithm = try word(algorithm, "algorithm", else: configuration.idTokenAlgorithm)
        do throws(UnknownFault) {
            configuration.misbehaviour = try Misbehaviour(names: faults)
        } catch {
            let near = error.nearest
            throw AuthFailure(
                .usage, "there is no fault '\(error.name)'",
                hint: near.isEmpty ? "yett sandbox --list-faults lists them" : "did you mean: \(near.joined(separator: ", "))?")
        }
        return configuration
    }

    private func word<Word: RawRepresentable & CaseIterable>(
        _ text: String?, _ kind: String, else usual: Word
    ) throws(AuthFailure) -> Word where Word.RawValue == String {
        guard let text else { return usual }
        guard let word = Word(rawValue: text) else { throw Self.unknown(kind, text, known: Word.allCases.map(\.rawValue)) }
        return word
    }

    private static func unknown(_ kind: String, _ text: String, known: [String]) -> AuthFailure {
        AuthFailure(.usage, "there is no \(kind) '\(text)'", hint: "there are \(known.joined(separator: ", "))")
    }

    private func tellPeople(on console: Console) {
        console.note("")
        console.note("people who can sign in (user, password):")
        for person in SandboxUser.standard { console.note("  \(person.username), \(person.password)") }
        console.note("it runs until Ctrl-C")
    }
}
