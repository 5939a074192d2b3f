import AuthModel
import Foundation
import Localization
import Testing

@testable import SessionStore

@Suite struct RoundTripTests {
    private let store: SessionStore

    init() async throws { store = try await memoryStore() }

    /// One large credential takes the place of no other.
    @Test func largeCredentialIsLeftOutAlone() throws {
        var record = try Sample.record()
        let now = Sample.now
        record.derivedCredentials = []
        record.store(DerivedCredential(purpose: "a", secret: Secret("keys"), usableUntil: now + .seconds(60)), at: now)
        let large = Secret(String(repeating: "x", count: DerivedCredential.totalSizeLimit))
        record.store(DerivedCredential(purpose: "b", secret: large, usableUntil: now + .seconds(90)), at: now)
        #expect(record.derivedCredentials.map(\.purpose) == ["a"])
    }

    @Test func recordWithoutTokensAndTimesRoundTrips() async throws {
        var record = try Sample.record("work/b", subject: nil)
        record.tokens = nil
        record.summary.issuer = nil
        record.summary.accessExpiresAt = nil
        record.summary.refreshExpiresAt = nil
        record.summary.nextRenewalAt = nil
        record.summary.isRenewable = false
        record.summary.scopes = []
        record.summary.warnings = []
        record.summary.recordedState = .needsSignIn
        _ = try await store.store(record)
        #expect(try await store.record(record.summary.name) == record)
    }

    /// Older versions of the program can read a session without what they do not know.
    @Test func newerPayloadFormatIsUsedOnlyIfNeeded() throws {
        var record = try Sample.record()
        let whole = try SessionPayload(record).encoded()
        #expect(whole.withBytes { $0.first } == 4)
        #expect(try SessionPayload(whole).record(record.summary) == record)
        record.derivedCredentials = []
        #expect(try SessionPayload(record).encoded().withBytes { $0.first } == 3)
        record.formerClaims = [:]
        #expect(try SessionPayload(record).encoded().withBytes { $0.first } == 2)
        record.renewalFailures = RenewalFailures()
        let plain = try SessionPayload(record).encoded()
        #expect(plain.withBytes { $0.first } == 1)
        #expect(try SessionPayload(plain).record(record.summary) == record)
    }

    @Test func summariesAreOrderedByName() async throws {
        for name in ["work/b", "home/z", "work/a"] { _ = try await store.store(Sample.record(name, subject: name), label: .chosen) }
        #expect(try await store.summaries().map(\.name.description) == ["home/z", "work/a", "work/b"])
    }

    @Test func replacesTheSessionOfTheSameAccountAndKeepsItsLabel() async throws {
        _ = try await store.store(Sample.record("work/mine"), label: .chosen)
        let stored = try await store.store(Sample.record("work/suggested", token: "newer"))
        #expect(stored.summary.name.description == "work/mine")
        #expect(try await store.summaries().count == 1)
        #expect(try await store.record(Sample.name("work/mine"))?.tokens?.accessToken == Secret("newer"))
    }

    @Test func chosenNameIdentifiesAnUnknownSubject() async throws {
        _ = try await store.store(Sample.record("work/alice", subject: nil, token: "first"), label: .chosen)
        _ = try await store.store(Sample.record("work/alice", subject: nil, token: "second"), label: .chosen)
        #expect(try await store.record(Sample.name("work/alice"))?.tokens?.accessToken == Secret("second"))
        // A suggested name identifies nothing: while the first session is valid, this is another account.
        let third = try await store.store(Sample.record("work/alice", subject: nil, token: "third"))
        #expect(third.summary.name.description == "work/alice-2")
        try await store.update(Sample.name("work/alice")) { $0?.summary.recordedState = .needsSignIn }
        let fourth = try await store.store(Sample.record("work/alice", subject: nil, token: "fourth"))
        #expect(fourth.summary.name.description == "work/alice")
        #expect(try await store.summaries().count == 2)
    }

    @Test func sameNameAtAnotherIssuerIsAnotherAccount() async throws {
        let first = try Sample.record("work/alice", subject: nil)
        _ = try await store.store(first, label: .chosen)
        var other = first
        other.summary.issuer = "https://other.example.org"
        #expect(await failure { _ = try await store.store(other, label: .chosen) } == .nameTaken(first.summary.name))
    }

    /// A session that the new one replaces is deleted in the same write, with its revocations queued, unless it was changed meanwhile.
    @Test(arguments: [true, false]) func replacedSessionGivesUpItsName(isCurrent: Bool) async throws {
        var former = try await store.store(Sample.record("work/alice", subject: nil), label: .chosen)
        var other = former
        other.summary.issuer = "https://other.example.org"
        if !isCurrent { former.summary.receivedAt = former.summary.receivedAt - .seconds(1) }
        let stored = try await store.store(other, inPlaceOf: (former, [try Sample.revocation()]))
        #expect(stored.summary.name.description == (isCurrent ? "work/alice" : "work/alice-2"))
        #expect(try await store.summaries().count == (isCurrent ? 1 : 2))
        #expect(try await store.pendingRevocations().count == (isCurrent ? 1 : 0))
    }

    @Test func chosenLabelRenamesAKnownAccount() async throws {
        _ = try await store.store(Sample.record("work/old"))
        _ = try await store.store(Sample.record("work/new"), label: .chosen)
        #expect(try await store.summaries().map(\.name.description) == ["work/new"])
    }

    @Test func numbersASuggestedLabelThatIsTaken() async throws {
        var names: [String] = []
        for subject in ["1", "2", "3"] {
            names.append(try await store.store(Sample.record("work/a", subject: subject)).summary.name.description)
        }
        #expect(names == ["work/a", "work/a-2", "work/a-3"])
    }

    @Test func numbersALabelOfMaximumLength() async throws {
        let long = "work/" + String(repeating: "é", count: 128)
        _ = try await store.store(Sample.record(long, subject: "1"))
        let second = try await store.store(Sample.record(long, subject: "2")).summary.name
        #expect(second.account == String(repeating: "é", count: 127) + "-2")
    }

    @Test func refusesAChosenLabelThatIsTaken() async throws {
        _ = try await store.store(Sample.record("work/a", subject: "1"))
        let name = try Sample.name("work/a")
        #expect(await failure { _ = try await store.store(Sample.record("work/a", subject: "2"), label: .chosen) } == .nameTaken(name))
        #expect(try await store.record(name)?.identity.subject == "1")
    }

    /// Swift compares strings by canonical equivalence; accounts are compared byte for byte.
    @Test func subjectsAreComparedByteForByte() async throws {
        _ = try await store.store(Sample.record("work/a", subject: "\u{E9}"))
        _ = try await store.store(Sample.record("work/b", subject: "e\u{301}"))
        #expect(try await store.summaries().count == 2)
    }

    @Test func updateChangesDeletesAndInserts() async throws {
        let name = try Sample.name("work/a")
        _ = try await store.store(Sample.record())
        let old = try await store.update(name) { record in
            defer { record?.clientID = "other" }
            return record?.clientID
        }
        #expect(old == "client-4")
        #expect(try await store.record(name)?.clientID == "other")
        try await store.update(name) { $0 = nil }
        #expect(try await store.record(name) == nil)
        let record = try Sample.record()
        try await store.update(name) { $0 = record }
        #expect(try await store.record(name) == record)
    }

    @Test func renamesUnlessTheNameIsTaken() async throws {
        _ = try await store.store(Sample.record("work/a", subject: "1"))
        _ = try await store.store(Sample.record("work/b", subject: "2"))
        let (a, b, c) = (try Sample.name("work/a"), try Sample.name("work/b"), try Sample.name("work/c"))
        #expect(await failure { try await store.update(a) { $0?.summary.name = b } } == .nameTaken(b))
        try await store.update(a) { $0?.summary.name = c }
        #expect(try await store.summaries().map(\.name) == [b, c])
        #expect(try await store.record(c)?.identity.subject == "1")
    }

    @Test func refusesValuesThatCannotRoundTrip() async throws {
        var record = try Sample.record(subject: "a\0b")
        let text = await failure { _ = try await store.store(record) }
        #expect(text == .invalid("store.text_has_nul"))
        record = try Sample.record()
        record.extras = .number("not a number")
        let json = await failure { _ = try await store.store(record) }
        #expect(json == .invalid("store.cannot_store_json"))
        for kind in [text, json] { #expect(kind.map { StoreError($0).failure.message.isKnown } == true) }
        #expect(try await store.summaries().isEmpty)
    }

    @Test func everyWarningIsOneLine() async throws {
        var record = try Sample.record()
        record.summary.warnings = [.verbatim("one\ntwo"), "session.no_refresh_token_issued"]
        _ = try await store.store(record)
        #expect(try await store.summaries().first?.warnings == [.verbatim("one two"), "session.no_refresh_token_issued"])
        #expect(try await store.record(record.summary.name)?.summary.warnings == [.verbatim("one two"), "session.no_refresh_token_issued"])
    }
}

/// What is there after the store is opened again.
@Suite struct ReopenedStoreTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    @Test func everyFieldSurvivesReopening() async throws {
        let record = try Sample.record()
        let stored = try await folder.open().store(record)
        #expect(stored == record)
        let again = try await folder.open()
        #expect(try await again.record(record.summary.name) == record)
        #expect(try await again.summaries() == [record.summary])
        #expect(try await again.records(provider: record.summary.name.provider) == [record])
    }

    /// Version 1 of the tables had two other names.
    @Test func opensAStoreOfTheFirstVersion() async throws {
        try await folder.fill("work/a", "work/b")
        let store = try await folder.open()
        try await store.markUsed(Sample.name("work/a"), at: Sample.now, by: .verbatim("git"))
        let (summaries, record) = (try await store.summaries(), try await store.record(Sample.name("work/a")))
        try folder.tamper { db in
            try db.execute(
                """
                ALTER TABLE last_uses RENAME TO hand_outs;
                ALTER TABLE sessions RENAME COLUMN recorded_state TO settled_state;
                DELETE FROM grdb_migrations WHERE identifier = '2';
                """)
        }
        // Two at once: one of them changes the tables.
        async let first = folder.open().summaries()
        async let second = folder.open().summaries()
        #expect(try await [first, second] == [summaries, summaries])
        let again = try await folder.open()
        #expect(try await again.record(Sample.name("work/a")) == record)
        _ = try await again.store(Sample.record("work/c", subject: "c"), label: .chosen)
        #expect(try await folder.open().summaries().count == 3)
        let names = try DatabaseQueue(path: folder.database).sync { db in try db.rows(of: "SELECT identifier FROM grdb_migrations") }
        #expect(names == [[.text("1")], [.text("2")]])
    }

    @Test func insertsAllSessionsOrNone() async throws {
        let store = try await folder.open()
        let first = try (0..<20).map { try Sample.record("work/a\($0)", subject: "\($0)", token: "token-\($0)") }
        try await store.insert(first)
        let taken = try [Sample.record("work/b", subject: "b"), Sample.record("work/a7", subject: "other")]
        #expect(await failure { try await store.insert(taken) } == .nameTaken(taken[1].summary.name))
        let duplicates = try [Sample.record("work/c", subject: "c"), Sample.record("work/c", subject: "d")]
        #expect(await failure { try await store.insert(duplicates) } == .nameTaken(duplicates[0].summary.name))
        let again = try await folder.open()
        #expect(try await again.summaries().count == first.count)
        for record in first { #expect(try await again.record(record.summary.name) == record) }
    }

    @Test func writesNothingWhenNothingChanged() async throws {
        try await folder.fill("work/a")
        let before = try folder.files()
        try await folder.open().update(Sample.name("work/a")) { $0?.clientID = "client-4" }
        #expect(try folder.files() == before)
    }

    @Test func recordsTheLastUseWithoutResealing() async throws {
        try await folder.fill("work/a")
        let store = try await folder.open()
        let name = try Sample.name("work/a")
        let boxes = try folder.boxes()
        try await store.markUsed(name, at: Sample.now, by: .verbatim("git"))
        try await store.markUsed(Sample.name("work/gone"), at: Sample.now, by: .verbatim("git"))
        let summary = try #require(try await folder.open().summaries().first)
        #expect(summary.lastUsedAt == Sample.now)
        #expect(summary.lastUsedBy == .verbatim("git"))
        #expect(try await store.record(name)?.summary == summary)
        #expect(try folder.boxes() == boxes)
        // A new sign-in and an update keep the note; deletion removes it.
        _ = try await store.store(Sample.record("work/a", subject: "work/a", token: "newer"))
        try await store.update(name) { $0?.clientID = "other" }
        #expect(try await store.summaries().first?.lastUsedBy == .verbatim("git"))
        try await store.delete(name)
        _ = try await store.store(Sample.record())
        #expect(try await store.summaries().first?.lastUsedAt == nil)
    }

    /// The caller's text is bounded in bytes, not in characters.
    @Test func lastUseIsBounded() async throws {
        try await folder.fill("work/a")
        let giant = "e" + String(repeating: "\u{301}", count: 100_000)
        try await folder.open().markUsed(Sample.name("work/a"), at: Sample.now, by: .verbatim(giant))
        let by = try #require(try await folder.open().summaries().first?.lastUsedBy)
        #expect(by.description.utf8.count <= 1000)
    }

    @Test func queuesRevocationsUntilTheyAreDone() async throws {
        try await folder.fill("work/a")
        let revocation = try Sample.revocation()
        let deleted = try await folder.open().delete(Sample.name("work/a"), revoking: [revocation, revocation])
        #expect(deleted?.clientID == "client-4")
        let store = try await folder.open()
        #expect(try await store.summaries().isEmpty)
        let pending = try await store.pendingRevocations()
        #expect(pending.map(\.revocation) == [revocation, revocation])
        #expect(pending.map(\.attempts) == [0, 0])
        #expect(pending.map(\.nextAttemptAt) == [Sample.now, Sample.now])
        let first = try #require(pending.first)
        try await store.postponeRevocation(first.id, until: Sample.now + .seconds(60))
        let postponed = try #require(try await store.pendingRevocations().first)
        #expect(postponed.attempts == 1)
        #expect(postponed.nextAttemptAt == Sample.now + .seconds(60))
        #expect(postponed.revocation == revocation)
        try await store.removeRevocation(first.id)
        #expect(try await store.pendingRevocations().count == 1)
    }

    @Test func storesValuesByKey() async throws {
        try await folder.open().setSealedValue(Secret("value-secret-7"), for: "registration https://id.example.org")
        let store = try await folder.open()
        #expect(try await store.sealedValue(for: "registration https://id.example.org") == Secret("value-secret-7"))
        #expect(try await store.sealedValue(for: "other") == nil)
        try await store.setSealedValue(Secret(""), for: "registration https://id.example.org")
        #expect(try await store.sealedValue(for: "registration https://id.example.org") == Secret(""))
        try await store.setSealedValue(nil, for: "registration https://id.example.org")
        #expect(try await store.sealedValue(for: "registration https://id.example.org") == nil)
    }

    @Test func memoryStoreWritesNoFile() async throws {
        let store = try await SessionStore.open(directory: folder.path + "/inner", source: .memory, time: FixedCivilTime())
        _ = try await store.store(Sample.record())
        let lock = try await store.lock(Sample.name("work/a"), until: .seconds(600))
        lock.release()
        #expect(try folder.files().isEmpty)
        #expect(store.seal == .memory)
        #expect(store.storeState == .unlocked)
        #expect(await failure { try store.lock() } == .notLockable)
    }
}
