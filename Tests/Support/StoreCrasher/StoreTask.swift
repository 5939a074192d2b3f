import AuthEngine
import AuthModel
import Glibc
import ProcessHarness
import SessionStore

/// The task given on the command line.
struct StoreTask {
    struct Misuse: Error {}

    let verb: String
    let directory: String
    let rest: [String]

    init(_ arguments: [String]) throws {
        guard arguments.count >= 3 else { throw Misuse() }
        verb = arguments[1]
        directory = arguments[2]
        rest = Array(arguments.dropFirst(3))
    }

    private func word(_ index: Int) throws -> String {
        guard rest.indices.contains(index) else { throw Misuse() }
        return rest[index]
    }

    private func number(_ index: Int) throws -> Int {
        guard let number = Int(try word(index)) else { throw Misuse() }
        return number
    }

    func run() async throws {
        switch verb {
        case "save": try await save()
        case "create": try await create()
        case "passphrase": try await changePassphrase()
        case "upgrade": try await upgrade()
        case "seal": try await changeSeal()
        case "count": try await count()
        case "hold": try await hold()
        case "umask": try await makeUnderMask()
        case "limit": try await saveUnderLimit()
        case "memory": try await saveInLittleMemory()
        default: throw Misuse()
        }
    }

    private func open(_ source: KeySource? = nil, cost: Int64 = 10) async throws -> SessionStore {
        var settings = SessionStore.Settings()
        // Cheap to derive, because this tests the disk and not the key derivation.
        settings.bounds = .init(accepted: 10...18, fresh: cost)
        return try await SessionStore.open(
            directory: directory, source: source ?? .keyFile(directory + "/store.key"), time: SystemTimeSource(), settings: settings)
    }

    private func arm(from index: Int) throws {
        guard let fault = FaultyDisk.Fault(rawValue: try word(index)) else { throw Misuse() }
        FaultyDisk.arm(fault, at: try number(index + 1), seed: UInt64(try number(index + 2)))
    }

    private func save() async throws {
        FaultyDisk.install()
        let store = try await open()
        guard let name = SessionName("work/a"), let before = try await store.record(name) else { throw Misuse() }
        let start = Int(before.clientID) ?? 0
        try arm(from: 0)
        for step in start + 1...start + 3 {
            do {
                try await store.update(name) { $0?.fill(with: step) }
                report("saved \(step)")
            } catch {
                report("refused \(error.kind)")
                // The store still has the old state, and a second attempt without the fault succeeds.
                guard let now = try await store.record(name) else { throw Misuse() }
                report("holds \(now.clientID)")
                try await store.update(name) { $0?.fill(with: step) }
                report("saved \(step)")
            }
        }
        report("done \(FaultyDisk.changes)")
    }

    private func create() async throws {
        FaultyDisk.install()
        try arm(from: 0)
        _ = try await open()
        report("done \(FaultyDisk.changes)")
    }

    private func changePassphrase() async throws {
        FaultyDisk.install()
        let store = try await open(.passphrase)
        try await store.unlock(passphrase: Secret(try word(0)))
        try arm(from: 2)
        try await store.changeSeal(to: .passphrase, passphrase: Secret(try word(1)))
        report("done \(FaultyDisk.changes)")
    }

    private func upgrade() async throws {
        FaultyDisk.install()
        let store = try await open(.passphrase, cost: 11)
        try arm(from: 1)
        try await store.unlock(passphrase: Secret(try word(0)))
        guard let name = SessionName("work/a"), try await store.record(name) != nil else { throw Misuse() }
        report("done \(FaultyDisk.changes)")
    }

    private func changeSeal() async throws {
        FaultyDisk.install()
        let steps = StorageSteps(killedAt: try number(2))
        let service = SystemCredentialKey(location: .init(socket: try word(1)))
        let keyFile = SteppedStorage(KeyFile(path: directory + "/store.key"), steps: steps)
        let keyring = SteppedStorage(KeyFile(path: directory + "/keyring/key"), steps: steps, as: .secretService)
        let storages: [any KeyStorage] = [
            keyFile, keyring, SteppedStorage(service, steps: steps), SteppedStorage(service, steps: steps, as: .securityKey),
        ]
        let store = try await open(.automatic(storages))
        try await store.unlock(passphrase: Secret("one"), isPIN: store.seal == .securityKey)
        steps.begin()
        try arm(from: 3)
        let seal = try word(0)
        let source: KeySource = storages.first { $0.seal.rawValue == seal }.map { .storage($0) } ?? .passphrase
        try await store.changeSeal(to: source, passphrase: Secret("one"), leftovers: [keyFile, keyring])
        report("steps \(steps.count)")
        report("done \(FaultyDisk.changes)")
    }

    private func count() async throws {
        let store = try await open()
        guard let name = SessionName("work/a") else { throw Misuse() }
        for _ in 0..<(try number(0)) {
            try await store.update(name) { record in
                let number = record.flatMap { Int($0.clientID) } ?? 0
                record?.clientID = String(number + 1)
            }
        }
        report("done")
    }

    private func hold() async throws {
        let store = try await open()
        guard let name = SessionName(try word(0)) else { throw Misuse() }
        let lock = try await store.lock(name, until: SystemTimeSource().bootTime + .seconds(300))
        report("held")
        while getchar() != EOF {}
        lock.release()
    }

    private func makeUnderMask() async throws {
        guard let mask = mode_t(try word(0), radix: 8) else { throw Misuse() }
        umask(mask)
        let store = try await open()
        guard let name = SessionName("work/a") else { throw Misuse() }
        let lock = try await store.lock(name, until: SystemTimeSource().bootTime + .seconds(300))
        lock.release()
        report("done")
    }

    private func saveUnderLimit() async throws {
        signal(SIGXFSZ, SIG_IGN)
        let store = try await open()
        let bytes = rlim_t(try number(0))
        var limit = rlimit(rlim_cur: bytes, rlim_max: bytes)
        guard setrlimit(__rlimit_resource_t(1), &limit) == 0, let name = SessionName("work/a") else { throw Misuse() }
        try await store.update(name) { $0?.identity.userInfo = .string(String(repeating: "x", count: 200_000)) }
        report("done")
    }
}

extension StoreTask {
    private func saveInLittleMemory() async throws {
        let store = try await open()
        guard let name = SessionName("work/a"), let before = try await store.record(name) else { throw Misuse() }
        let step = (Int(before.clientID) ?? 0) + 1
        MemoryLimit.begin(spare: Int64(try number(0)))
        do {
            try await store.update(name) { $0?.fill(with: step) }
        } catch {
            MemoryLimit.end()
            report("refused \(error.kind)")
            guard let now = try await store.record(name), now == before else { throw Misuse() }
            try await store.update(name) { $0?.fill(with: step) }
        }
        MemoryLimit.end()
        report("saved \(step)")
    }
}

extension SessionRecord {
    /// Sets all parts of the record from one number, so that a mixture of two states is noticed.
    mutating func fill(with step: Int) {
        clientID = String(step)
        summary.warnings = [.verbatim(String(step))]
        summary.grantedAt = Timestamp(milliseconds: Int64(step))
        identity.userInfo = .string(String(repeating: "\(step) ", count: 2000))
        tokens?.accessToken = Secret("token \(step)")
    }
}

/// Writes a line immediately, without buffering.
func report(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(1, bytes, bytes.count)
}
