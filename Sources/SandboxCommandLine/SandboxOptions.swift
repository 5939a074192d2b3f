public import ArgumentParser

/// The options of `yett sandbox`, read by `yett` for its help and completions and by `yett-sandbox`, which acts on them.
public struct SandboxOptions: ParsableArguments, Sendable {
    public static let abstract = "Run test providers on loopback."
    public static let discussion = """
        An OpenID provider, and the systems of four vendors as far as their protocols are public, each on its own port. They run until \
        Ctrl-C. Their tokens have no value, and the OpenID provider shows its passwords on the sign-in page. \
        yett help sandbox-vendors describes the vendors' endpoints and settings, and how to read the log of requests.
        """

    @Option(help: ArgumentHelp("The port on 127.0.0.1, or 0 for any free port. Vendors use the next ports.", valueName: "port"))
    public var port = 0

    @Option(help: ArgumentHelp("Sign this user in without showing a page.", valueName: "user"))
    public var autoApprove: String?

    @Option(name: .customLong("fault"), help: ArgumentHelp("A fault to simulate; may be repeated. See --list-faults.", valueName: "name"))
    public var faults: [String] = []

    @Flag(help: "List the available faults.")
    public var listFaults = false

    @Option(help: ArgumentHelp("Lifetime of access tokens and ID tokens.", valueName: "seconds"))
    public var accessLifetime: Int?

    @Option(help: ArgumentHelp("Lifetime of refresh tokens.", valueName: "seconds"))
    public var refreshLifetime: Int?

    @Option(help: ArgumentHelp("When a refresh token is issued: offline_access, always or never.", valueName: "when"))
    public var refreshTokens: String?

    @Option(help: ArgumentHelp("The algorithm that signs ID tokens: RS256, ES256 or EdDSA.", valueName: "algorithm"))
    public var algorithm: String?

    @Option(help: ArgumentHelp("The path of the issuer, such as /tenant/a.", valueName: "path"))
    public var issuerPath: String?

    @Option(
        name: .customLong("vendor"),
        help: ArgumentHelp("A vendor system to run in addition to the OpenID provider, or none; may be repeated.", valueName: "name"))
    public var vendors: [String] = []

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp("Set a setting of a vendor system; may be repeated. See --list-knobs.", valueName: "vendor.setting=value"))
    public var settings: [String] = []

    @Flag(help: "List the settings of the vendor systems.")
    public var listKnobs = false

    @Flag(help: "List the endpoints and settings of each vendor system.")
    public var listVendors = false

    @Flag(help: "Answer GET /__log with the requests so far, including credentials; in vendor systems, POST /__set changes settings.")
    public var requestLog = false

    @Flag(help: "Print JSON instead of a configuration.")
    public var json = false

    @Flag(help: .hidden)
    public var untilInputEnds = false

    public init() {}

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
        flag("list-knobs", listKnobs)
        flag("list-vendors", listVendors)
        flag("request-log", requestLog)
        flag("json", json)
        flag("until-input-ends", untilInputEnds)
        return words
    }
}
