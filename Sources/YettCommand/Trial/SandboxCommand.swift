internal import ArgumentParser
internal import AuthModel
internal import Sandbox

/// `yett sandbox`: a provider on loopback to try things at.
struct SandboxCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "sandbox", abstract: "Run an OpenID provider on loopback, to try things at.",
        discussion: "It runs until Ctrl-C. Nothing it gives out is worth anything, and its people's passwords stand on its sign-in page.")

    @Option(help: ArgumentHelp("The port on 127.0.0.1; 0 for any that is free.", valueName: "port"))
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

    @Flag(help: "Answer GET /__log with the requests so far, credentials included.")
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
        let server = try await SandboxServer.start(sandboxConfiguration())
        do {
            try context.console.answer(SandboxNotice(issuer: server.issuer, port: server.port), asJSON: json)
        } catch {
            await server.stop()
            throw error
        }
        if !json { tellPeople(on: context.console) }
        await server.runUntilCancelled()
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
        for person in SandboxPerson.standard { console.note("  \(person.username), \(person.password)") }
        console.note("it runs until Ctrl-C")
    }
}

/// Where the sandbox is, and how to make it a provider of Yett's.
struct SandboxNotice: Answer {
    let issuer: String
    let port: Int

    /// The public client that the sandbox knows.
    static let clientID = "yett"
    static let scopes = ["openid", "profile", "email", "offline_access"]

    var lines: [String] {
        [
            "# a sandbox provider runs at \(issuer)", "[providers.sandbox]", "kind = \"oidc\"",
            "issuer = \(ConfigurationEditor.value(issuer))", "client_id = \(ConfigurationEditor.value(Self.clientID))",
            "scopes = \(ConfigurationEditor.value(Self.scopes))",
        ]
    }

    var json: JSONValue {
        .answer(
            ("issuer", .string(issuer)), ("port", .number(port)), ("client_id", .string(Self.clientID)), ("scopes", JSONValue(Self.scopes)))
    }
}
