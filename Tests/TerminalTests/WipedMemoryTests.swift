import AuthModel
import Glibc
import ProcessHarness
import TestSupport
import Testing

/// Checks what is left in the memory of the app when it works without an agent, and so holds every key and token itself.
@Suite(
    .startsPrograms, .serialized, .enabled(if: Product.installed("tmux") != nil, "tmux is not installed"),
    .enabled(if: geteuid() == 0, "only root can read the memory of a process that closed it"))
struct WipedMemoryTests {
    private static let passphrase = "a horse, a battery and a staple"
    private static let clientSecret = "confidential-secret-0123456789"

    @Test(arguments: ["passphrase", "key-file", "secret-service", "memory"])
    func lockAndSignOutLeaveNoSecret(seal: String) async throws {
        let sandbox = try await SandboxProvider(options: ["--auto-approve", "ada", "--request-log"])
        let home = try TemporaryHome()
        let keyring = seal == "secret-service" ? try await Keyring(in: home) : nil
        let secretFile = try home.write(Self.clientSecret + "\n", to: "client-secret")
        try home.configure(
            """
            [store]
            seal = "\(seal)"
            [providers.sandbox]
            \(sandbox.settings.replacing("\"yett\"", with: "\"yett-confidential\""))
            client_secret_file = "\(secretFile)"
            """)
        var variables: [String: String?] = [
            "PATH": "\(Product.folder):/usr/local/bin:/usr/bin:/bin", "BROWSER": Browser.following, "DISPLAY": ":0", "YETT_NO_AGENT": "1",
        ]
        variables.merge(keyring?.variables ?? [:]) { $1 }
        let terminal = try await TmuxTerminal(home, size: .init(120, 40), with: variables)
        try await terminal.enter("clear; yett")
        if seal == "passphrase" {
            try await terminal.wait(for: "Choose a passphrase")
            try await terminal.type(Self.passphrase)
            try await terminal.press("Tab")
            try await terminal.type(Self.passphrase)
            try await terminal.press("Enter")
        }
        try await terminal.wait { $0.shows(AppTerminal.welcome) && !$0.shows(AppTerminal.asking) && !$0.shows("Choose a passphrase") }
        let app = try Self.process(named: "yett-main", in: home)
        // The search finds text that is there.
        #expect(try !MemorySearch.places(of: Secret(home.canary), in: app).isEmpty)
        // The sandbox's client secrets are literals in the program.
        let literals = Set(try MemorySearch.places(of: Secret(Self.clientSecret), in: app).map(\.address))

        // Signs in, renews, copies and reveals: every path of a secret through the program.
        try await terminal.press("Enter")
        try await terminal.wait(for: "Welcome, ada")
        try await terminal.press("Enter")
        try await terminal.wait { $0.shows("sandbox/ada") && $0.shows("r renew") }
        try await terminal.press("r")
        // Not the timeline's legend, which says "renewed" as well: the result of "y" would be hidden by it.
        try await terminal.wait(for: "renewed sandbox/ada")
        try await terminal.press("y")
        try await terminal.wait(for: "copied the token of")
        try await terminal.press("i")
        // The inspector opens on the ID token, which must be read and verified before it can be revealed.
        try await terminal.wait { $0.shows("at_hash") && $0.shows("v reveal") }
        try await terminal.press("v")
        try await terminal.wait(for: "v mask")
        try await terminal.press("v")
        try await terminal.wait(for: "v reveal")
        try await terminal.press("Escape")
        let secrets = try await Self.secrets(at: sandbox) + [("passphrase", Secret(Self.passphrase))]
        #expect(Set(secrets.map(\.name)).isSuperset(of: ["code", "code_verifier", "refresh_token", "access token", "client secret"]))

        // Waits for the list, not the screen before it: a key right after Escape would be read as Alt with that key.
        try await terminal.wait { $0.shows("o sign out") && $0.shows("a activity") }
        if seal != "memory" {
            try await terminal.press("L")
            try await terminal.wait { $0.showsWord("locked") }
            try await Self.expect(none: secrets, in: app, but: literals, after: "lock")
            try await terminal.press("L")
            if seal == "passphrase" {
                try await terminal.wait(for: "Passphrase")
                try await terminal.type(Self.passphrase)
                try await terminal.press("Enter")
            }
            try await terminal.wait { $0.shows("a activity") && $0.shows("o sign out") }
        }
        try await terminal.press("o")
        try await terminal.wait(for: "Revoke and forget")
        try await terminal.press("Enter")
        try await terminal.wait(for: "You are signed out of sandbox/ada.")
        try await Self.expect(none: secrets + Self.secrets(at: sandbox), in: app, but: literals, after: "sign-out")
        withExtendedLifetime(keyring) {}
    }

    /// Returns the process of a program that runs in a home.
    private static func process(named name: String, in home: TemporaryHome) throws -> pid_t {
        let folder = try #require(opendir("/proc"))
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let number = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            guard let process = pid_t(number), MemorySearch.text("/proc/\(process)/comm") == "\(name)\n",
                MemorySearch.text("/proc/\(process)/environ")?.contains("HOME=\(home.path)\0") == true
            else { continue }
            return process
        }
        throw HarnessError("no \(name) runs in \(home.path)")
    }

    /// Returns every secret that the sandbox has received, by its name on the wire.
    private static func secrets(at sandbox: SandboxProvider) async throws -> [(name: String, secret: Secret)] {
        let log = try #require(try await Resource.get(sandbox.issuer + "/__log").json?.array)
        var found: [(name: String, secret: Secret)] = [("client secret", Secret(clientSecret))]
        for request in log {
            for pair in request["form"]?.array ?? [] {
                guard let name = pair.array?.first?.string, let value = pair.array?.last?.string else { continue }
                if ["code", "code_verifier", "refresh_token", "token"].contains(name) { found.append((name, Secret(value))) }
            }
            for pair in request["headers"]?.array ?? [] where pair.array?.first?.string?.lowercased() == "authorization" {
                guard let words = pair.array?.last?.string?.split(separator: " "), words.count == 2 else { continue }
                found.append((words[0] == "Bearer" ? "access token" : "client authentication", Secret(String(words[1]))))
            }
        }
        return found
    }

    private static func expect(
        none secrets: [(name: String, secret: Secret)], in process: pid_t, but known: Set<UInt64>, after what: String
    ) async throws {
        for (name, secret) in secrets {
            // Operations that are still running free their memory when they end.
            try await eventually("\(name) is left after \(what): \(try MemorySearch.places(of: secret, in: process))") {
                try MemorySearch.places(of: secret, in: process).allSatisfy { known.contains($0.address) }
            }
        }
    }
}
