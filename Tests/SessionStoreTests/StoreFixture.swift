import AuthModel
import Foundation
import Synchronization
@testable import SessionStore

/// A temporary folder for one test; it is deleted with the last reference.
final class Folder: Sendable {
    let path: String

    init() throws {
        let template = NSTemporaryDirectory() + "/yett-store-XXXXXX"
        var bytes = Array(template.utf8CString)
        guard mkdtemp(&bytes) != nil else { throw POSIXError(.EIO) }
        path = String(decoding: bytes.dropLast().map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var database: String { path + "/sessions.db" }
    var keyFile: String { path + "/store.key" }

    /// Returns every file in the folder, by name.
    func files() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            files[name] = try Data(contentsOf: URL(fileURLWithPath: path + "/" + name))
        }
        return files
    }

    func mode(_ name: String = "") throws -> Int {
        var found = stat()
        guard lstat(name.isEmpty ? path : path + "/" + name, &found) == 0 else { throw POSIXError(.ENOENT) }
        return Int(found.st_mode & 0o7777)
    }

    /// Changes the database from outside the store.
    func tamper(_ change: (Database) throws -> Void) throws {
        let connection = try Database(path: database, timeout: 10_000)
        try change(connection)
        try connection.close()
    }
}

/// Clocks whose civil time stands still. A wait is real: a lock may be held by another process, or for a moment by the copy of its descriptor
/// in a child process that has not yet started its program.
final class FixedCivilTime: TimeSource {
    private let start = ContinuousClock.now

    let now = Timestamp(milliseconds: 1_800_000_000_000)
    var bootTime: Duration { start.duration(to: .now) }
    func sleep(until deadline: Duration) async throws {
        try Task.checkCancellation()
        while bootTime < deadline {
            await Task.yield()
            try Task.checkCancellation()
        }
    }
}

enum Sample {
    static let now = Timestamp(milliseconds: 1_800_000_000_000)

    static func name(_ text: String) throws -> SessionName {
        guard let name = SessionName(text) else { throw StoreError(.invalid(.verbatim(text))) }
        return name
    }

    /// Returns a record in which every field has a distinct value.
    static func record(_ name: String = "work/a", subject: String? = "subject-1", token: String = "access-secret-0") throws -> SessionRecord
    {
        let summary = SessionSummary(
            name: try Self.name(name), issuer: "https://id.example.org", subject: subject, recordedState: .signedIn,
            accessExpiresAt: now + .seconds(300), refreshExpiresAt: now + .seconds(9000), isRenewable: true,
            nextRenewalAt: now + .seconds(200), scopes: ["openid", "profile"], grantedAt: now, receivedAt: now + .seconds(1),
            warnings: [.verbatim("the clock is off by 3 s")])
        let tokens = TokenSet(
            accessToken: Secret(token), tokenType: "Bearer", accessExpiresAt: now + .seconds(300), refreshToken: Secret("refresh-secret-1"),
            refreshExpiresAt: now + .seconds(9000), idToken: Secret("id-secret-2"), scopes: ["openid", "profile"], receivedAt: now)
        var record = SessionRecord(
            summary: summary, tokens: tokens,
            identity: Identity(
                issuer: "https://id.example.org", subject: subject ?? "", idTokenClaims: ["name": "Zoë \u{1F600}", "n": 1],
                userInfo: ["email": "claim-secret-3@example.org"]),
            clientID: "client-4", extras: ["key": "extra-secret-5"])
        record.renewalFailures = RenewalFailures(lostResponses: 1, failures: 3)
        record.derivedCredentials = [
            DerivedCredential(
                purpose: "role-secret-8", secret: Secret("keys-secret-9"), usableUntil: Timestamp(milliseconds: 1_900_000_000_000))
        ]
        record.formerClaims = [.access: ["scope": "claim-secret-7"], .id: ["aud": ["a", 1]]]
        return record
    }

    static func revocation() throws -> QueuedRevocation {
        guard let endpoint = WebURL("https://id.example.org/revoke") else { throw StoreError(.invalid("endpoint")) }
        return QueuedRevocation(
            session: try name("work/a"), token: Secret("revoke-secret-6"), tokenTypeHint: "refresh_token", endpoint: endpoint,
            clientID: "client-4", extras: ["a": [1, "ü"]])
    }

    /// Secrets that must never be on disk in plain text.
    static let secrets = [
        "access-secret-0", "refresh-secret-1", "id-secret-2", "claim-secret-3", "claim-secret-7", "extra-secret-5", "revoke-secret-6",
        "value-secret-7",
    ]

    /// Settings with a fast key derivation and small pages.
    static var settings: SessionStore.Settings {
        var settings = SessionStore.Settings()
        settings.bounds = .init(accepted: 10...18, fresh: 10)
        settings.pageSize = 512
        return settings
    }
}

extension Folder {
    func open(_ source: KeySource? = nil, time: any TimeSource = FixedCivilTime()) async throws -> SessionStore {
        try await SessionStore.open(directory: path, source: source ?? .keyFile(keyFile), time: time, settings: Sample.settings)
    }

    /// Creates a store with sessions of these names, and closes it.
    func fill(_ names: String..., source: KeySource? = nil, passphrase: Secret? = nil) async throws {
        let store = try await open(source)
        if let passphrase { try await store.unlock(passphrase: passphrase, isPIN: store.seal == .securityKey) }
        for name in names { _ = try await store.store(Sample.record(name, subject: name), label: .chosen) }
    }
}

func memoryStore(time: any TimeSource = FixedCivilTime()) async throws -> SessionStore {
    try await SessionStore.open(directory: "/nowhere", source: .memory, time: time)
}

/// Returns the kind of the store error that `body` throws; nil if it throws none.
func failure(_ body: () async throws -> Void) async -> StoreError.Kind? {
    do {
        try await body()
        return nil
    } catch let error as StoreError {
        return error.kind
    } catch {
        return .invalid(.verbatim("\(error)"))
    }
}

extension Folder {
    /// Returns the sealed payloads in the database, by row.
    func boxes() throws -> [Int64: [UInt8]] {
        let queue = try DatabaseQueue(path: database)
        defer { try? queue.close() }
        let rows = try queue.sync { db in try db.rows(of: "SELECT id, box FROM payloads") }
        return Dictionary(uniqueKeysWithValues: rows.map { row in (row[0].integer ?? 0, row[1].blob ?? []) })
    }
}
