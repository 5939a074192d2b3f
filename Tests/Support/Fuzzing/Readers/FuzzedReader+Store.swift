import SessionStore

extension FuzzedReader {
    /// A damaged store is refused with a printable error or returns exactly what was stored, and its bytes do not change. If it still
    /// opens, a write succeeds or reports an error, and the store then has the old or the new state.
    static let store = FuzzedReader(
        "store",
        words: [
            "SQLite format 3\u{0}", "CREATE TABLE", "CREATE VIEW", "CREATE TRIGGER", "sessions", "payloads", "roster", "header", "STRICT",
            "key-file", "passphrase", "memory", "signed_in", "grdb_migrations", "\u{2}\u{2}", "\u{1}\u{1}", "work", "yett",
        ],
        maximumLength: 1 << 16, isSlow: true,
        reshape: { input, mutator, generator in StoreDamage.damaged(input, mutator, using: &generator) }
    ) { (input) async throws(BrokenProperty) in
        let place = try TemporaryStore(input)
        defer { place.remove() }
        let kept = try await CorpusContents.shared.contents()
        guard let found = try await place.content() else {
            try BrokenProperty.unless(place.bytes == input, "a store that was refused is not as it was")
            return false
        }
        try BrokenProperty.unless(kept.contains(found), "a damaged store gives what was never stored")
        try BrokenProperty.unless(place.bytes == input, "reading changes the store")
        try await place.checkWriting(from: found)
        return true
    }
}

/// The contents of the undamaged stores, read once.
private actor CorpusContents {
    static let shared = CorpusContents()

    private var known: [StoreSample.Content]?

    func contents() async throws(BrokenProperty) -> [StoreSample.Content] {
        if let known { return known }
        guard let inputs = try? Corpus.inputs(of: "store") else { throw BrokenProperty("there is no store in the corpus") }
        var contents: [StoreSample.Content] = []
        for input in inputs {
            let place = try TemporaryStore(input)
            defer { place.remove() }
            // Some stores are in the corpus because they are refused.
            if let content = try await place.content() { contents.append(content) }
        }
        known = contents
        return contents
    }
}
