import AuthModel
import TestSupport
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// Every service that has a preset, as its documentation describes it: added, signed in to in each of its flows, named, renewed, used and
/// signed out of, and the failures that it is known for.
struct ServiceTests {
    private static let rows = Result { try ServiceRow.all() }
    private static let known = (try? rows.get()) ?? []

    /// One flow of a row.
    struct Scene: Sendable, CustomTestStringConvertible {
        var row: ServiceRow
        var flow: String
        var testDescription: String { "\(row.testDescription), \(flow)" }
    }

    /// One failure of a row.
    struct Trouble: Sendable, CustomTestStringConvertible {
        var row: ServiceRow
        var failure: ServiceRow.Failure
        var testDescription: String { "\(row.testDescription), \(failure.title)" }
    }

    private static let scenes = known.flatMap { row in row.flows.map { Scene(row: row, flow: $0) } }
    private static let troubles = known.flatMap { row in row.failures.map { Trouble(row: row, failure: $0) } }

    @Test func rowsAreReadable() throws { _ = try Self.rows.get() }

    @Test(arguments: scenes) func serviceWorks(scene: Scene) async throws {
        try await playing(scene.row) { visit in
            try await visit.add()
            let login = try await visit.signIn(by: scene.flow)
            try #require(login.status == 0, "\(login.errors)\n\(visit.player.complaints)")
            visit.expectWarnings(of: login)
            let session = try await visit.expectSession()
            try await visit.expectRenewal(of: session)
            try await visit.expectRequest(by: session)
            try await visit.expectSignOut(of: session)
        }
    }

    @Test(arguments: troubles) func failureIsUnderstood(trouble: Trouble) async throws {
        let (row, failure) = (trouble.row, trouble.failure)
        try await playing(row) { visit in
            let isFirst = failure.step == "sign-in" || failure.step == "device"
            if isFirst { visit.player.fail(with: failure.answer) }
            let added = try await visit.add(mayFail: isFirst)
            var result = added
            if added == nil || added?.status == 0 {
                result = try await visit.signIn(by: failure.step == "device" ? "device" : row.flows[0])
            }
            if !isFirst {
                try #require(result?.status == 0, "\(result?.errors ?? "")\n\(visit.player.complaints)")
                let session = try await visit.session()
                visit.player.fail(with: failure.answer)
                visit.player.forgetRequests()
                switch failure.step {
                case "renewal": result = await visit.world.run("renew", session)
                case "request": result = await visit.request(failure.answer.request, by: session)
                default: result = await visit.world.run("logout", session)
                }
                // What the token is not to blame for causes neither a renewal nor another try.
                if failure.step == "request", failure.status != 0, failure.answer.status >= 400 {
                    #expect(visit.player.requests.count == 1)
                }
            }
            let end = try #require(result)
            #expect(end.status == failure.status, "\(end.errors)")
            #expect((end.output + end.errors).contains(failure.says), "\(end.output)\(end.errors)")
        }
    }

    private func playing(_ row: ServiceRow, _ body: (ServiceVisit) async throws -> Void) async throws {
        guard row.authorization.redirect == "exact" else { return try await play(row, body) }
        await FixedPorts.shared.take()
        do {
            try await play(row, body)
            await FixedPorts.shared.giveBack()
        } catch {
            await FixedPorts.shared.giveBack()
            throw error
        }
    }

    private func play(_ row: ServiceRow, _ body: (ServiceVisit) async throws -> Void) async throws {
        let time = CivilShiftedTime()
        let player = try ServicePlayer(row) { time.now }
        try await player.running { port in
            let visit = try ServiceVisit(row, player: player, port: port)
            try await body(visit)
            #expect(player.complaints.isEmpty)
        }
    }
}

/// The ports of the redirect addresses that services compare byte for byte: one row at a time uses them.
private actor FixedPorts {
    static let shared = FixedPorts()

    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func take() async {
        guard isTaken else {
            isTaken = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    func giveBack() {
        if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
    }
}

/// A user's visit to a service: the commands, in a home of their own.
struct ServiceVisit {
    let row: ServiceRow
    let player: ServicePlayer
    let world: CommandWorld
    private let folder: TestFolder

    init(_ row: ServiceRow, player: ServicePlayer, port: Int) throws {
        self.row = row
        self.player = player
        folder = try TestFolder()
        try folder.write("root.pem", player.certificate)
        world = try CommandWorld(
            ["SSL_CERT_FILE": folder.file("root.pem")], localPorts: Dictionary(uniqueKeysWithValues: row.hosts.map { ($0, port) }))
    }

    /// Adds the service. One that is given by its address is added with the sign-in.
    @discardableResult
    func add(mayFail: Bool = false) async throws -> CommandResult? {
        // A server that registers clients needs nothing but its address.
        guard let name = row.preset ?? (row.clientID == nil ? nil : row.address) else { return nil }
        var arguments = ["providers", "add", name, "--name", "service"]
        if let place = row.place { arguments += ["--at", place] }
        if let mode = row.mode { arguments += ["--mode", mode] }
        arguments += row.settings
        if let client = row.clientID { arguments += ["--client-id", client] }
        if let secret = row.clientSecret {
            try PrivateFile.replace(world.home + "/secret", with: Array(secret.utf8))
            arguments += ["--client-secret-file", world.home + "/secret"]
        }
        if let key = row.clientKey {
            try PrivateFile.replace(world.home + "/key.pem", with: Array(key.utf8))
            arguments += ["--set", "client_key_file=\(world.home)/key.pem"]
        }
        if row.authorization.isPasted { arguments += ["--paste-redirect", row.pasteRedirect] }
        let added = await world.run(arguments)
        if !mayFail { try #require(added.status == 0, "\(added.errors)\n\(player.complaints)") }
        return added
    }

    func signIn(by flow: String) async throws -> CommandResult {
        guard row.preset != nil || row.clientID != nil else {
            // The user confirms the authorization server that the resource names.
            let servers = row.answers.lazy.compactMap { (try? JSONValue(strict: $0.body))?["authorization_servers"]?.strings?.first }
            return await world.run(
                ["login", row.address ?? "", "--register", "--yes", "--timeout", "300"] + (servers.first.map { ["--issuer", $0] } ?? []))
        }
        switch flow {
        case "device":
            // Only waiting advances the clock, so no poll waits in real time.
            return await world.run(
                ["login", "--flow", "device", "--timeout", "3000"], time: HastyTime(over: ManualTime(now: world.time.now)))
        // There is no user.
        case "machine": return await world.run("login")
        case "manual": return await signInByPaste()
        case _ where row.authorization.isPasted: return await signInByPaste()
        default: return await world.run("login", "--flow", "browser", "--timeout", "300")
        }
    }

    private func signInByPaste() async -> CommandResult {
        let (addresses, address) = AsyncStream.makeStream(of: String.self)
        return await world.run(
            ["login", "--flow", "manual", "--timeout", "300"], browser: .isMissing, paste: addresses,
            told: { line in
                guard let url = WebURL(String(line.trimmed)), url.text.hasPrefix(row.authorization.url) else { return }
                Task {
                    address.yield(await world.answer(to: url) ?? "no answer")
                    address.finish()
                }
            })
    }

    func session() async throws -> String {
        try #require(try await world.sessions().first?["session"]?.string)
    }

    func expectWarnings(of login: CommandResult) {
        let warnings = login.errors.split(separator: "\n").filter { $0.contains("warning:") }
        let unexpected = warnings.filter { warning in !row.expected.warnings.contains { warning.contains($0) } }
        #expect(unexpected.isEmpty, "\(unexpected)")
        for wanted in row.expected.warnings { #expect(login.errors.contains(wanted), "\(login.errors)") }
    }

    func expectSession() async throws -> String {
        let session = try #require(try await world.sessions().first)
        if let account = row.expected.account { #expect(session["account"]?.string == account, "\(session.text)") }
        if let subject = row.expected.subject { #expect(session["subject"]?.string ?? "" == subject, "\(session.text)") }
        if let scopes = row.expected.scopes { #expect(Set(session["scopes"]?.strings ?? []) == Set(scopes), "\(session.text)") }
        let name = try #require(session["session"]?.string)
        if !row.expected.identity.isEmpty {
            let identity = try await world.run("inspect", name, "--json").json["userinfo"]
            for (member, value) in row.expected.identity { #expect(identity?[member]?.string == value, "\(identity?.text ?? "")") }
        }
        return name
    }

    func expectRenewal(of session: String) async throws {
        switch row.expected.renewal {
        case "none":
            #expect(try await world.sessions().first?["renewable"]?.bool == false)
        case "rotated", "kept":
            let renewed = await world.run("renew", session)
            #expect(renewed.status == 0, "\(renewed.errors)\n\(player.complaints)")
            #expect(try await world.sessions().first?["renewable"]?.bool == true)
        default: break
        }
    }

    func expectRequest(by session: String) async throws {
        guard let url = row.expected.request else { return }
        let request = await world.run("request", session, url)
        #expect(request.status == 0, "\(request.errors)\n\(player.complaints)")
    }

    /// Sends a request, given as its method and its URL, and prints the header of the answer too.
    func request(_ text: String, by session: String) async -> CommandResult {
        let parts = text.split(separator: " ").map(String.init)
        return await world.run(["request", session, parts[1], "-i"] + (parts[0] == "GET" ? [] : ["-X", parts[0], "-d", "{}"]))
    }

    func expectSignOut(of session: String) async throws {
        guard let status = row.expected.signOutStatus else { return }
        player.forgetRequests()
        let logout = await world.run("logout", session)
        #expect(logout.status == status, "\(logout.output)\(logout.errors)\n\(player.complaints)")
        let requests = player.requests.filter { !$0.contains("/.well-known/") }
        #expect(requests == row.expected.signOutRequests)
        #expect(try await world.sessions().isEmpty)
    }
}
