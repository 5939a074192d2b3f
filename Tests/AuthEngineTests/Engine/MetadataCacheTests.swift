import AuthModel
import Glibc
import TestSupport
import Testing

@testable import AuthEngine

/// Published documents are cached between runs, and used only for the URL and purpose for which they were fetched.
@Suite struct MetadataCacheTests {
    private static var now: Timestamp { SystemTimeSource().now }
    private let folder: TestFolder
    private let cache: MetadataCache
    private let ours: WebURL
    private let theirs: WebURL

    init() throws {
        folder = try TestFolder()
        cache = MetadataCache(directory: folder.file("cache"), caFile: nil)
        ours = try #require(WebURL("https://id.example.org/.well-known/openid-configuration"))
        theirs = try #require(WebURL("https://evil.example/keys"))
    }

    private func body(_ kind: MetadataCache.Kind, _ url: WebURL, in cache: MetadataCache? = nil) -> String? {
        (cache ?? self.cache).body(of: kind, for: url, now: Self.now).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func returnsCachedDocuments() {
        cache.store(Array("{}".utf8), of: .metadata, for: ours)
        cache.store([], of: .metadata, for: theirs)
        #expect(body(.metadata, ours) == "{}")
        #expect(body(.metadata, theirs) == "")
    }

    @Test func missingFoldersAreMade() {
        let deep = MetadataCache(directory: folder.file("home/.cache/yett"), caFile: nil)
        deep.store(Array("{}".utf8), of: .metadata, for: ours)
        #expect(body(.metadata, ours, in: deep) == "{}")
    }

    @Test func entriesExpireAfterAnHour() {
        cache.store(Array("{}".utf8), of: .metadata, for: ours)
        #expect(cache.body(of: .metadata, for: ours, now: Self.now + .seconds(3700)) == nil)
        #expect(cache.body(of: .metadata, for: ours, now: Self.now - .seconds(3700)) == nil)
    }

    @Test func keySetIsNotUsedAsMetadata() {
        cache.store(Array("{}".utf8), of: .keys, for: ours)
        #expect(body(.keys, ours) == "{}")
        #expect(body(.metadata, ours) == nil)
    }

    @Test func entriesDependOnTheTrustedRoots() {
        cache.store(Array("{}".utf8), of: .metadata, for: ours)
        let other = MetadataCache(directory: folder.file("cache"), caFile: "/etc/ssl/corp.pem")
        #expect(body(.metadata, ours, in: other) == nil)
    }

    /// File names are short, so two URLs can be made to share one.
    @Test func fileOfAnotherURLIsNotUsed() throws {
        cache.store(Array("theirs".utf8), of: .metadata, for: theirs)
        try folder.shell("mv cache/* evil")
        cache.store(Array("ours".utf8), of: .metadata, for: ours)
        #expect(body(.metadata, ours) == "ours")
        try folder.shell("mv evil cache/*")
        #expect(body(.metadata, ours) == nil)
    }
}
