import AuthModel
import Foundation
import Fuzzing
import Testing

@testable import SessionStore

/// The store that the fuzzer damages is a recorded file, because a new store has different keys each time.
struct StoreCorpusTests {
    /// Recorded again with `YETT_RECORD=1`, after a change of the format.
    @Test func recordedStoreOpensWithItsContents() async throws {
        let place = NSTemporaryDirectory() + "/yett-kept-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: place) }
        let kept = Corpus.folder + "/store/sessions"
        if ProcessInfo.processInfo.environment["YETT_RECORD"] == "1" {
            var settings = SessionStore.Settings()
            // Small pages, so that most bytes carry data.
            settings.pageSize = 512
            let new = try await SessionStore.open(
                directory: place + "/new", source: StoreSample.source, time: StoreSample.time, settings: settings)
            try await StoreSample.fill(new)
            try FileManager.default.createDirectory(atPath: Corpus.folder + "/store", withIntermediateDirectories: true)
            try Data(contentsOf: URL(fileURLWithPath: place + "/new/sessions.db")).write(to: URL(fileURLWithPath: kept))
        }
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let file = place + "/" + SessionStore.fileName
        try Data(contentsOf: URL(fileURLWithPath: kept)).write(to: URL(fileURLWithPath: file))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        let store = try await SessionStore.open(directory: place, source: StoreSample.source, time: StoreSample.time)
        #expect(try await store.summaries().map(\.name.description) == ["work/a", "work/b"])
        #expect(try await store.summaries().first?.lastUsedBy == .verbatim("git"))
        #expect(try await store.pendingRevocations().map(\.revocation.token) == [Secret("revoke-secret")])
        #expect(try await store.sealedValue(for: "registration") == Secret("value-secret"))
    }
}
