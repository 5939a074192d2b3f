import AuthModel
import Glibc
import SessionStore

/// A temporary folder with one store in it, in memory if the machine has `/dev/shm`.
struct TemporaryStore {
    private let folder: String
    private var file: String { folder + "/" + SessionStore.fileName }

    init(_ bytes: [UInt8]) throws(BrokenProperty) {
        var template = Array(((access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp") + "/yett-fuzz-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw BrokenProperty("no folder can be made") }
        folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        guard descriptor >= 0, bytes.withUnsafeBytes({ write(descriptor, $0.baseAddress, $0.count) }) == bytes.count else {
            remove()
            throw BrokenProperty("no store can be written to \(folder)")
        }
    }

    /// The store's current bytes.
    var bytes: [UInt8] {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        guard descriptor >= 0 else { return [] }
        // The buffer is larger than any store, so that a store that grew is noticed.
        return [UInt8](unsafeUninitializedCapacity: 1 << 20) { buffer, count in
            count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
        }
    }

    /// Returns the store's content; `nil` if the store is refused with a printable error.
    func content() async throws(BrokenProperty) -> StoreSample.Content? {
        do throws(StoreError) {
            return try await StoreSample.Content(of: opened())
        } catch {
            try check(error)
            return nil
        }
    }

    func checkWriting(from old: StoreSample.Content) async throws(BrokenProperty) {
        guard let name = StoreSample.names.first else { return }
        var isSaved = true
        do throws(StoreError) {
            _ = try await opened().store(StoreSample.record(name, accessToken: "renewed-secret"), label: .chosen)
        } catch {
            try check(error)
            isSaved = false
        }
        var expected = old
        if isSaved { expected.records[0]?.tokens?.accessToken = Secret("renewed-secret") }
        let found = try await content()
        try BrokenProperty.unless(found == expected, isSaved ? "a save that was confirmed is not there" : "a save that failed did harm")
    }

    func remove() {
        for name in ["", "-journal", "-wal", "-shm"] { unlink(file + name) }
        unlink(folder + "/sessions.lock")
        rmdir(folder)
    }

    private func opened() async throws(StoreError) -> SessionStore {
        try await SessionStore.open(directory: folder, source: StoreSample.source, time: StoreSample.time)
    }

    private func check(_ error: StoreError) throws(BrokenProperty) {
        switch error.kind {
        case .corrupt, .altered, .newerFormat, .keyMismatch, .sealDiffers, .derivationOutOfBounds: break
        default: throw BrokenProperty("refuses for another reason than damage: \(error.kind)")
        }
        try FuzzFixture.checkText(of: error.failure)
    }
}
