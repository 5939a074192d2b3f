import AuthModel
import CSecret
import Glibc
import Synchronization
import OperatingSystem

/// One call to the keyring, on its own thread and with a time limit.
///
/// At the time limit libsecret is told to stop, and the caller continues without waiting for it.
final class KeyringCall: Sendable {
    enum Outcome: Sendable {
        case done(Secret?)
        case trouble(KeyringFailure)
        case absent
    }

    enum StoreTask: Sendable {
        case probe
        case lookUp(store: String)
        case keep(store: String, key: Secret)
        case forget(store: String)
    }

    // Created by `init` and freed by `deinit`. In between it is used as the C target allows: one thread runs the call, any thread may stop
    // it.
    private nonisolated(unsafe) let call: OpaquePointer
    private let continuation = Mutex<CheckedContinuation<Outcome, Never>?>(nil)

    private init?() {
        guard let call = csecret_call_new() else { return nil }
        self.call = call
    }

    deinit { csecret_call_free(call) }

    /// Runs a task. Fails with ``KeyringFailure/noAnswer`` after `limit`.
    static func run(_ task: StoreTask, limit: Duration, time: any TimeSource) async -> Outcome {
        // Load libsecret on this thread, which takes a few milliseconds. Only later steps can hang.
        if let failure = csecret_load()?.pointee {
            return .trouble(.noLibrary(String(cString: failure.reason), isMissing: failure.is_missing))
        }
        guard let call = KeyringCall() else { return .trouble(.failed(UserMessage("phrase.no_memory"))) }
        let deadline = time.bootTime + limit
        let watch = Task {
            try await time.sleep(until: deadline)
            csecret_call_stop(call.call)
            call.end(.trouble(.noAnswer))
        }
        defer { watch.cancel() }
        return await withCheckedContinuation { continuation in
            call.continuation.withLock { $0 = continuation }
            let isStarted = DetachedThread.start { call.end(call.outcome(of: task)) }
            if !isStarted { call.end(.trouble(.failed(UserMessage("process.cannot_start_thread")))) }
        }
    }

    /// Completes the call. Only the first outcome counts.
    private func end(_ outcome: Outcome) {
        let waiting = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        waiting?.resume(returning: outcome)
    }

    private func outcome(of task: StoreTask) -> Outcome {
        switch task {
        case .probe: return outcome(csecret_probe(call))
        case .forget(let store): return outcome(csecret_forget(call, store))
        case .keep(let store, let key):
            guard key.count == CSECRET_KEY_LENGTH else { return .trouble(.wrongKey) }
            let status = key.withBytes { bytes in
                bytes.withMemoryRebound(to: UInt8.self) { $0.baseAddress.map { csecret_keep(call, store, $0) } ?? CSECRET_FAILED }
            }
            return outcome(status)
        case .lookUp(let store):
            var key = [UInt8](repeating: 0, count: CSECRET_KEY_LENGTH)
            defer { key.zeroize() }
            var count = 0
            let status = csecret_look_up(call, store, &key, &count)
            guard status == CSECRET_DONE else { return outcome(status) }
            return count == key.count ? .done(Secret(bytes: key)) : .trouble(.wrongKey)
        }
    }

    private func outcome(_ status: csecret_status) -> Outcome {
        switch status {
        case CSECRET_DONE: .done(nil)
        case CSECRET_ABSENT: .absent
        case CSECRET_LOCKED: .trouble(.locked)
        case CSECRET_NO_SERVICE: .trouble(.noService)
        case CSECRET_NO_COLLECTION: .trouble(.noCollection)
        case CSECRET_STOPPED: .trouble(.noAnswer)
        default: .trouble(.failed(csecret_call_message(call).map { .verbatim(String(cString: $0)) } ?? "phrase.no_reason_given"))
        }
    }
}
