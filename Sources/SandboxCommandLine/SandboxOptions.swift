public import ArgumentParser

/// The options of `yett sandbox`, read by `yett` for its help and completions and by `yett-sandbox`, which acts on them.
public struct SandboxOptions: ParsableArguments, Sendable {
    /// The first line of the help.
    public static let abstract = "Run test providers on loopback."
    /// The text of the help.
    public static let discussion = """
        An OpenID provider, and the systems of four vendors as far as their protocols are public, each on its own port. They run until \
        Ctrl-C. Their tokens have no value, and the OpenID provider shows its passwords on the sign-in page. \
        yett help sandbox-vendors describes the vendors' endpoints and settings, and how to read the log of requests.
        """

    /// The port of the OpenID provider; 0 for any free port.
    @Option(help: ArgumentHelp("The port on 127.0.0.1, or 0 for any free port. Vendors use the next ports.", valueName: "port"))
    public var port = 0

    /// The user who is signed in without a page.
    @Option(help: ArgumentHelp("Sign this user in without showing a page.", valueName: "user"))
    public var autoApprove: String?

    /// The names of the faults to simulate.
    @Option(name: .customLong("fault"), help: ArgumentHelp("A fault to simulate; may be repeated. See --list-faults.", valueName: "name"))
    public var faults: [String] = []

    /// Whether to list the faults.
    @Flag(help: "List the available faults.")
    public var listFaults = false

    /// The lifetime of access tokens and ID tokens, in seconds.
    @Option(help: ArgumentHelp("Lifetime of access tokens and ID tokens.", valueName: "seconds"))
    public var accessLifetime: Int?

    /// The lifetime of refresh tokens, in seconds.
    @Option(help: ArgumentHelp("Lifetime of refresh tokens.", valueName: "seconds"))
    public var refreshLifetime: Int?

    /// When a refresh token is issued: `offline_access`, `always` or `never`.
    @Option(help: ArgumentHelp("When a refresh token is issued: offline_access, always or never.", valueName: "when"))
    public var refreshTokens: String?

    /// The algorithm that signs ID tokens.
    @Option(help: ArgumentHelp("The algorithm that signs ID tokens: RS256, ES256 or EdDSA.", valueName: "algorithm"))
    public var algorithm: String?

    /// The path of the issuer.
    @Option(help: ArgumentHelp("The path of the issuer, such as /tenant/a.", valueName: "path"))
    public var issuerPath: String?

    /// The names of the vendor systems to run.
    @Option(
        name: .customLong("vendor"),
        help: ArgumentHelp("A vendor system to run in addition to the OpenID provider, or none; may be repeated.", valueName: "name"))
    public var vendors: [String] = []

    /// Settings to change: `vendor.setting=value`.
    @Option(
        name: .customLong("set"),
        help: ArgumentHelp("Set a setting of a vendor system; may be repeated. See --list-settings.", valueName: "vendor.setting=value"))
    public var settings: [String] = []

    /// Whether to list the settings.
    @Flag(help: "List the settings of the vendor systems.")
    public var listSettings = false

    /// The former name of ``listSettings``.
    @Flag(name: .customLong("list-knobs"), help: .hidden)
    public var listKnobs = false

    /// Whether to list the endpoints and settings of each vendor.
    @Flag(help: "List the endpoints and settings of each vendor system.")
    public var listVendors = false

    /// Whether requests are recorded and settings can be changed over HTTP.
    @Flag(help: "Answer GET /__log with the requests so far, including credentials; in vendor systems, POST /__set changes settings.")
    public var requestLog = false

    /// Whether to print JSON.
    @Flag(help: "Print JSON instead of a configuration.")
    public var json = false

    /// Whether the program ends when its standard input is closed.
    @Flag(help: .hidden)
    public var untilInputEnds = false

    /// For the parser, which reads the values.
    public init() {}

    /// Checks the ranges of numbers.
    public func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port must be between 0 and 65535") }
        for (name, value) in [("--access-lifetime", accessLifetime), ("--refresh-lifetime", refreshLifetime)] {
            if let value, !(1...31_536_000).contains(value) { throw ValidationError("\(name) must be between 1 second and one year") }
        }
    }
}

extension SandboxOptions {
    /// The command line that these options are read from again.
    public var arguments: [String] {
        var words: [String] = []
        func option(_ name: String, _ value: String?) { if let value { words += ["--\(name)=\(value)"] } }
        func flag(_ name: String, _ isSet: Bool) { if isSet { words.append("--\(name)") } }
        option("port", port == 0 ? nil : String(port))
        option("auto-approve", autoApprove)
        for fault in faults { option("fault", fault) }
        option("access-lifetime", accessLifetime.map(String.init))
        option("refresh-lifetime", refreshLifetime.map(String.init))
        option("refresh-tokens", refreshTokens)
        option("algorithm", algorithm)
        option("issuer-path", issuerPath)
        for vendor in vendors { option("vendor", vendor) }
        for setting in settings { option("set", setting) }
        flag("list-faults", listFaults)
        flag("list-settings", listSettings || listKnobs)
        flag("list-vendors", listVendors)
        flag("request-log", requestLog)
        flag("json", json)
        flag("until-input-ends", untilInputEnds)
        return words
    }
}
