import CLibraries
import Glibc
import Testing

/// Why a system library cannot be used; only a missing library is reported as not installed.
struct LibraryTests {
    private func loadFailure(_ name: String) -> (reason: String, isMissing: Bool)? {
        "".withCString { none in
            var failure = clibrary_failure(reason: none, is_missing: false)
            guard clibrary_open(name, &failure) == nil else { return nil }
            return (String(cString: failure.reason), failure.is_missing)
        }
    }

    @Test func missingLibraryIsNotInstalled() throws {
        let failure = try #require(loadFailure("libyett-is-not-there.so.9"))
        #expect(failure.isMissing && failure.reason == "libyett-is-not-there.so.9 is not installed")
    }

    /// For example after a disk error or with too little memory; the loader's message is passed on.
    @Test func unloadableLibraryIsNotReportedAsMissing() throws {
        let path = "/tmp/yett-library-\(UInt64.random(in: .min ... .max)).so"
        let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        defer { unlink(path) }
        _ = write(descriptor, "no library", 10)
        close(descriptor)
        let failure = try #require(loadFailure(path))
        #expect(!failure.isMissing)
        #expect(failure.reason.hasPrefix("\(path) cannot be loaded: ") && !failure.reason.contains("not installed"))
    }
}
