import AuthModel
import Sandbox
import TOML

/// Test providers at work: one that speaks OpenID Connect, and the systems of vendors, each on a port of its own.
struct RunningProviders: Sendable {
    let openID: SandboxServer
    let vendors: [any RunningVendor]

    /// The vendors' systems to start, and their settings.
    struct Choice {
        /// Default: those of a kind of provider that Yett supports.
        var vendors: [Vendor] = Vendor.allCases.filter { ProviderKind(rawValue: $0.rawValue) != nil }
        /// Settings that differ from the default.
        var settings: [(vendor: Vendor, name: String, value: JSONValue)] = []
    }

    /// Starts them all. The vendors get the ports that follow the OpenID provider's, in the order of their names, or any free ones.
    static func start(_ configuration: SandboxConfiguration, _ choice: Choice) async throws -> RunningProviders {
        let openID = try await SandboxServer.start(configuration)
        var vendors: [any RunningVendor] = []
        do {
            for (index, vendor) in Vendor.allCases.enumerated() where choice.vendors.contains(vendor) {
                vendors.append(
                    try await vendor.start(
                        port: configuration.port == 0 ? 0 : configuration.port + 1 + index,
                        settings: choice.settings.filter { $0.vendor == vendor }.map { ($0.name, $0.value) },
                        common: VendorServerSettings(autoApproves: configuration.autoApproves, showsControls: configuration.showsRequestLog)
                    )
                )
            }
        } catch {
            await RunningProviders(openID: openID, vendors: vendors).stop()
            throw error
        }
        return RunningProviders(openID: openID, vendors: vendors)
    }

    func runUntilCancelled() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await openID.runUntilCancelled() }
            for vendor in vendors { group.addTask { await vendor.runUntilCancelled() } }
        }
    }

    func stop() async {
        await openID.stop()
        for vendor in vendors { await vendor.stop() }
    }

    /// Starts the providers that the options name.
    ///
    /// - Throws: `.usage`, with the nearest known name, for a name or value that does not exist; `.configuration` if a port is taken.
    static func start(_ options: SandboxOptions) async throws -> RunningProviders {
        let configuration = try configuration(options)
        let choice = try choice(options)
        do {
            return try await start(configuration, choice)
        } catch let error as UnknownSandboxSetting {
            throw unknown(error)
        }
    }

    private static func choice(_ options: SandboxOptions) throws(AuthFailure) -> Choice {
        var choice = Choice()
        if !options.vendors.isEmpty {
            choice.vendors = []
            for name in options.vendors where name != "none" { choice.vendors.append(try vendor(name)) }
        }
        for text in options.settings {
            guard let dot = text.firstIndex(of: "."), let sign = text.firstIndex(of: "="), dot < sign else {
                throw AuthFailure(
                    .usage, text: "'\(text)' is not a setting", hint: "write vendor.setting=value; see: yett sandbox --list-settings")
            }
            let word = String(text[text.index(after: sign)...])
            choice.settings.append(
                (
                    try vendor(String(text[..<dot])), String(text[text.index(after: dot)..<sign]),
                    (try? JSONValue(strict: word)) ?? .string(word)
                ))
        }
        return choice
    }

    private static func configuration(_ options: SandboxOptions) throws(AuthFailure) -> SandboxConfiguration {
        var configuration = SandboxConfiguration(port: options.port)
        configuration.issuerPath = options.issuerPath ?? ""
        configuration.showsRequestLog = options.requestLog
        if options.demo { configuration.clients += DemoProviders.clients }
        if let user = options.autoApprove {
            let known = configuration.users.map(\.username)
            guard known.contains(user) else { throw unknown("user", user, known: known) }
            configuration.autoApproves = user
        }
        if let seconds = options.accessLifetime {
            configuration.lifetimes.accessToken = .seconds(seconds)
            configuration.lifetimes.idToken = .seconds(seconds)
        }
        if let seconds = options.refreshLifetime { configuration.lifetimes.refreshToken = .seconds(seconds) }
        configuration.refreshTokens = try word(options.refreshTokens, "value", default: configuration.refreshTokens)
        configuration.idTokenAlgorithm = try word(options.algorithm, "algorithm", default: configuration.idTokenAlgorithm)
        do throws(UnknownFault) {
            configuration.faultSet = try FaultSet(names: options.faults)
        } catch {
            let near = error.nearest
            throw AuthFailure(
                .usage, text: "unknown fault '\(error.name)'",
                hint: near.isEmpty ? "list faults with: yett sandbox --list-faults" : "did you mean: \(near.joined(separator: ", "))?")
        }
        return configuration
    }

    private static func vendor(_ name: String) throws(AuthFailure) -> Vendor {
        guard let vendor = Vendor(rawValue: name) else { throw unknown("vendor", name, known: Vendor.allCases.map(\.rawValue)) }
        return vendor
    }

    private static func word<Word: RawRepresentable & CaseIterable>(
        _ text: String?, _ kind: String, default standard: Word
    ) throws(AuthFailure) -> Word where Word.RawValue == String {
        guard let text else { return standard }
        guard let word = Word(rawValue: text) else { throw unknown(kind, text, known: Word.allCases.map(\.rawValue)) }
        return word
    }

    private static func unknown(_ setting: UnknownSandboxSetting) -> AuthFailure {
        guard !setting.isKnown else {
            return AuthFailure(
                .usage, text: "the setting '\(setting.name)' does not accept that value",
                hint: "list values with: yett sandbox --list-settings")
        }
        return AuthFailure(
            .usage, text: "unknown setting '\(setting.name)'",
            hint: setting.nearest.map { "did you mean: \($0)?" } ?? "list settings with: yett sandbox --list-settings")
    }

    private static func unknown(_ kind: String, _ text: String, known: [String]) -> AuthFailure {
        AuthFailure(.usage, text: "unknown \(kind) '\(text)'", hint: "known: \(known.joined(separator: ", "))")
    }
}

/// The providers of `yett demo`, in addition to the one that the user signs in to: clients of the OpenID provider with tokens of different
/// lifetimes, a vendor's system, and what the demo does there.
struct DemoProviders {
    let issuer: String
    let port: Int

    private static let openIDPlaces = DemoContent.places.filter { $0.vendor == nil }

    static let clients = openIDPlaces.map { place in
        SandboxClient(
            id: id(of: place), name: "Yett", redirects: ["http://127.0.0.1/callback", "http://[::1]/callback"], lifetimes: place.lifetimes)
    }

    private static func id(of place: DemoContent.Place) -> String { "yett-demo-\(place.name)" }

    /// Returns the name of a vendor's system in the demo.
    static func name(of vendor: Vendor) -> String { DemoContent.places.first { $0.vendor == vendor }?.name ?? vendor.rawValue }

    /// The configuration that makes the clients providers of Yett.
    var lines: [String] {
        Self.openIDPlaces.flatMap { place in
            [
                "", "[providers.\(place.name)]", "kind = \"oidc\"", "issuer = \(TOMLText.quoted(issuer))",
                "client_id = \(TOMLText.quoted(Self.id(of: place)))", "scopes = \(TOMLText.list(ProvidersNotice.scopes))",
                "api_hosts = \(TOMLText.list(["127.0.0.1:\(port)"]))",
            ] + (place.policy == .allow ? [] : ["policy = \(TOMLText.quoted(place.policy.rawValue))"])
        }
    }

    /// What the demo does before it opens: the sign-ins, the history that it writes, the tokens that it issues, and the renewals, of which one
    /// is refused.
    var json: JSONValue {
        .members(
            ("sign_ins", .array(signIns)), ("renewals", Self.list(DemoContent.renewals)), ("uses", Self.list(DemoContent.uses)),
            ("history", Self.list(DemoContent.history)))
    }

    private static func list(_ events: [DemoContent.Event]) -> JSONValue {
        .array(
            events.map { event in
                .members(
                    ("seconds_ago", .number(event.ago.wholeSeconds)), ("session", .string(event.session)),
                    ("program", JSONValue(event.program)), ("count", .number(event.count)), ("role", JSONValue(event.role?.text)))
            })
    }

    private var signIns: [JSONValue] {
        DemoContent.places.flatMap { place in
            place.signIns.compactMap { signIn in
                SandboxUser.standard.first { $0.username == signIn.user }.map { user in
                    .members(
                        ("seconds_ago", .number(signIn.ago.wholeSeconds)), ("provider", .string(place.name)),
                        ("user", .string(user.username)), ("password", .string(user.password)),
                        // A vendor's system does not say who signed in.
                        ("account", place.vendor == nil ? .null : .string(user.username)))
                }
            }
        }
    }
}
