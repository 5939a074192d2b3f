import ArgumentParser
import AuthModel
import Dispatch
import Glibc
import OperatingSystem
import Sandbox

/// `yett-sandbox`: test providers on loopback, for `yett sandbox`, `yett demo` and the tests.
struct SandboxProgram: ParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "yett sandbox", abstract: "Run test providers on loopback.",
        discussion: """
            An OpenID provider, and the systems of five vendors as far as their protocols are public, each on its own port. They run until \
            Ctrl-C. Their tokens have no value, and the OpenID provider shows its passwords on the sign-in page. \
            yett help sandbox-vendors describes the vendors' endpoints and settings, and how to read the log of requests.
            """)

    @OptionGroup var options: SandboxOptions

    /// Runs the command line of this process and ends it with the exit status: 0, 2 if a port is taken, 64 for a wrong command line.
    static func main() -> Never {
        // A reader that goes away is an error of the write, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        let program: SandboxProgram
        do {
            program = try parse()
        } catch {
            guard exitCode(for: error) != .success else { exit(withError: error) }
            fail(sentence(message(for: error)), hint: "see: yett sandbox --help", status: exitCode(for: error).rawValue)
        }
        let work = Task {
            do {
                try await program.run()
                exit(withError: nil)
            } catch  where Task.isCancelled {
                // Asked to end while it started.
                exit(withError: nil)
            } catch let failure as AuthFailure {
                fail(
                    failure.message.description, hint: failure.hint?.description,
                    status: failure.kind == .usage ? ExitCode.validationFailure.rawValue : 2)
            } catch {
                fail("\(error)", hint: nil, status: 1)
            }
        }
        Task {
            for await interruption in SignalPipe.interruptions() {
                // The first signal stops the providers; the second ends the process at once.
                if work.isCancelled { Glibc.exit(interruption.exitCode) }
                work.cancel()
            }
        }
        if program.options.untilInputEnds { followInput(work) }
        dispatchMain()
    }

    /// Returns the parser's message in the style of `yett`: its first line, in lower case, without a full stop.
    private static func sentence(_ message: String) -> String {
        var text = String(message.prefix { !$0.isNewline })
        if text.hasPrefix("Error: ") { text.removeFirst("Error: ".count) }
        while text.last == "." { text.removeLast() }
        return text.prefix(1).lowercased() + text.dropFirst()
    }

    private static func fail(_ message: String, hint: String?, status: Int32) -> Never {
        // The program is usually started as `yett sandbox`, and its messages look the same.
        let text = "yett: error: \(message)\n" + (hint.map { "yett: hint: \($0)\n" } ?? "")
        _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
        Glibc.exit(status)
    }

    /// The times that the program that started this one wants the providers' clocks to show, in seconds before now; `nil` for an invalid
    /// one.
    private static let clock = AsyncStream.makeStream(of: Int64?.self)

    /// Ends with the program that started this one, however that one ends. Until then, each line of it is a time for ``clock``.
    private static func followInput(_ work: Task<Void, Never>) {
        DetachedThread.startOrRun {
            var (byte, line) = (UInt8(0), "")
            var count = read(STDIN_FILENO, &byte, 1)
            while count > 0 || count < 0 && errno == EINTR {
                if count > 0, byte == UInt8(ascii: "\n") {
                    clock.continuation.yield(Int64(line).flatMap { (-3_155_760_000...3_155_760_000).contains($0) ? $0 : nil })
                    line = ""
                } else if count > 0, line.utf8.count < 20 {
                    line.unicodeScalars.append(Unicode.Scalar(byte))
                }
                count = read(STDIN_FILENO, &byte, 1)
            }
            clock.continuation.finish()
            work.cancel()
        }
    }

    /// Sets the clocks of the demo's providers as the input says, and answers each line with an empty one once that is done. An invalid line
    /// changes nothing.
    private static func setClock(of providers: RunningProviders) async throws {
        var shown: Int64 = 0
        for await seconds in clock.stream {
            if let seconds {
                await providers.openID.advance(by: .seconds(shown - seconds))
                for vendor in providers.vendors { vendor.advance(by: .seconds(shown - seconds)) }
                shown = seconds
            }
            try Output.lines([""])
        }
    }

    private func run() async throws {
        if options.listFaults {
            return try Output.lines(ProviderTable("FAULT", "EFFECT", Fault.allCases.map { ($0.name, $0.summary) }).lines)
        }
        if options.listSettings || options.listKnobs { return try Output.lines(ProviderTable("SETTING", "EFFECT", Self.settings).lines) }
        if options.listVendors { return try Output.lines(VendorPages.lines) }
        let providers = try await RunningProviders.start(options)
        do {
            let notice = ProvidersNotice(running: providers, isForDemo: options.demo)
            try Output.lines(options.json ? [notice.json.text] : notice.lines)
        } catch {
            await providers.stop()
            throw error
        }
        if !options.json { describeUsers() }
        if options.demo { Task { try await Self.setClock(of: providers) } }
        await providers.runUntilCancelled()
    }

    private static var settings: [(String, String)] {
        Vendor.allCases.flatMap { vendor in vendor.sandboxSettings.map { ("\(vendor.rawValue).\($0.name)", $0.summary) } }
    }

    private func describeUsers() {
        Output.note("")
        Output.note("users who can sign in (name, password):")
        for user in SandboxUser.standard { Output.note("  \(user.username), \(user.password)") }
        Output.note("Ctrl-C stops the providers")
    }
}

/// The options. `yett` passes them on, and asks this program for them when it shows its own help and completions.
struct SandboxOptions: ParsableArguments, Sendable {
    /// The port of the OpenID provider; 0 for any free port.
    @Option(help: ArgumentHelp("The port on 127.0.0.1, or 0 for any free port. Vendors use the next ports.", valueName: "port"))
    var port = 0

    /// The user who is signed in without a page.
    @Option(help: ArgumentHelp("Sign this user in without showing a page.", valueName: "user"))
    var autoApprove: String?

    /// The names of the faults to simulate.
    @Option(name: .customLong("fault"), help: ArgumentHelp("A fault to simulate; may be repeated. See --list-faults.", valueName: "name"))
    var faults: [String] = []

    /// Whether to list the faults.
    @Flag(help: "List the available faults.")
    var listFaults = false

    /// The lifetime of access tokens and ID tokens, in seconds.
    @Option(help: ArgumentHelp("Lifetime of access tokens and ID tokens.", valueName: "seconds"))
    var accessLifetime: Int?

    /// The lifetime of refresh tokens, in seconds.
    @Option(help: ArgumentHelp("Lifetime of refresh tokens.", valueName: "seconds"))
    var refreshLifetime: Int?

    /// When a refresh token is issued: `offline_access`, `always` or `never`.
    @Option(help: ArgumentHelp("When a refresh token is issued: offline_access, always or never.", valueName: "when"))
    var refreshTokens: String?

    /// The algorithm that signs ID tokens.
    @Option(help: ArgumentHelp("The algorithm that signs ID tokens: RS256, ES256 or EdDSA.", valueName: "algorithm"))
    var algorithm: String?

    /// The path of the issuer.
    @Option(help: ArgumentHelp("The path of the issuer, such as /tenant/a.", valueName: "path"))
    var issuerPath: String?

    /// The names of the vendor systems to run.
    @Option(
        name: .customLong("vendor"),
        help: ArgumentHelp("A vendor system to run in addition to the OpenID provider, or none; may be repeated.", valueName: "name"))
    var vendors: [String] = []

    /// Settings to change: `vendor.setting=value`.
    @Option(
        name: .customLong("set"),
        help: ArgumentHelp("Set a setting of a vendor system; may be repeated. See --list-settings.", valueName: "vendor.setting=value"))
    var settings: [String] = []

    /// Whether to list the settings.
    @Flag(help: "List the settings of the vendor systems.")
    var listSettings = false

    /// The former name of ``listSettings``.
    @Flag(name: .customLong("list-knobs"), help: .hidden)
    var listKnobs = false

    /// Whether to list the endpoints and settings of each vendor.
    @Flag(help: "List the endpoints and settings of each vendor system.")
    var listVendors = false

    /// Whether requests are recorded and settings can be changed over HTTP.
    @Flag(help: "Answer GET /__log with the requests so far, including credentials; in vendor systems, POST /__set changes settings.")
    var requestLog = false

    /// Whether to print JSON.
    @Flag(help: "Print JSON instead of a configuration.")
    var json = false

    /// Whether the program ends when its standard input is closed.
    @Flag(help: .hidden)
    var untilInputEnds = false

    /// Whether to run the providers of `yett demo` as well.
    @Flag(help: .hidden)
    var demo = false

    /// Checks the ranges of numbers.
    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port must be between 0 and 65535") }
        for (name, value) in [("--access-lifetime", accessLifetime), ("--refresh-lifetime", refreshLifetime)] {
            if let value, !(1...31_536_000).contains(value) { throw ValidationError("\(name) must be between 1 second and one year") }
        }
    }
}
