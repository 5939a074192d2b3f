import AuthModel
import Foundation
@testable import SessionStore
import Testing

/// Flipped bits, truncated databases and foreign files.
@Suite struct DamageTests {
    @Test func flippedBitIsRefusedOrHarmless() async throws {
        let subject = try await OriginalStore()
        var refused = 0
        for index in subject.bytes.indices {
            var bytes = subject.bytes
            bytes[index] ^= 1 << UInt8(index % 8)
            if try await subject.isRefused(bytes, "byte \(index)") { refused += 1 }
        }
        // Most of a small database is in use.
        #expect(refused > subject.bytes.count / 4)
    }

    @Test func truncatedDatabaseIsRefused() async throws {
        let subject = try await OriginalStore()
        for length in stride(from: 0, to: subject.bytes.count, by: 7) {
            #expect(try await subject.isRefused(subject.bytes.prefix(length), "cut at \(length)"), "cut at \(length)")
        }
        for cut in [1, 512, 513, subject.bytes.count / 2] {
            #expect(try await subject.isRefused(subject.bytes.dropLast(cut), "\(cut) cut off"), "\(cut) cut off")
        }
    }

    @Test func emptyFileIsCorruptAndStaysUnchanged() async throws {
        let folder = try Folder()
        #expect(FileManager.default.createFile(atPath: folder.database, contents: Data()))
        chmod(folder.database, 0o600)
        #expect(await failure { _ = try await folder.open() } == .corrupt)
        #expect(await failure { _ = try await folder.open(.passphrase) } == .corrupt)
        #expect(try folder.files() == ["sessions.db": Data()])
    }

    @Test func foreignFileIsCorruptAndStaysUnchanged() async throws {
        let folder = try Folder()
        let text = Data(String(repeating: "not a database\n", count: 1000).utf8)
        try text.write(to: URL(fileURLWithPath: folder.database))
        chmod(folder.database, 0o600)
        #expect(await failure { _ = try await folder.open() } == .corrupt)
        #expect(try folder.files()["sessions.db"] == text)
    }

    /// A small store, and a folder in which changed copies of its bytes are opened.
    private struct OriginalStore {
        let bytes: Data
        let summaries: [SessionSummary]
        let record: SessionRecord
        let key: Data
        let folder: Folder

        init() async throws {
            folder = try Folder()
            try await folder.fill("work/a")
            let store = try await folder.open()
            try await store.markUsed(Sample.name("work/a"), at: Sample.now, by: .verbatim("git"))
            summaries = try await store.summaries()
            record = try #require(try await store.record(Sample.name("work/a")))
            let files = try folder.files()
            bytes = try #require(files["sessions.db"])
            key = try #require(files["store.key"])
        }

        /// Returns whether a store with these bytes is refused. An accepted store must equal the original, and the file must stay
        /// unchanged.
        func isRefused(_ bytes: Data, _ what: Comment) async throws -> Bool {
            let folder = folder
            try bytes.write(to: URL(fileURLWithPath: folder.database))
            chmod(folder.database, 0o600)
            var refused = false
            do {
                let store = try await folder.open()
                let summaries = try await store.summaries()
                let record = try await store.record(Sample.name("work/a"))
                // The note of the last use is not authenticated, so only its loss is allowed.
                var unused = self.record
                unused.summary.lastUsedAt = nil
                unused.summary.lastUsedBy = nil
                #expect(record == self.record || record == unused, what)
                #expect(summaries == [record?.summary], what)
            } catch let error as StoreError {
                refused = true
                switch error.kind {
                case .corrupt, .altered, .newerFormat: break
                default: Issue.record("\(what): \(error.kind)")
                }
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: folder.database)) == bytes, what)
            return refused
        }
    }
}
