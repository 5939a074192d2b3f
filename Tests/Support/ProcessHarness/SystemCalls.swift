import Glibc
import Synchronization

/// Returns the system's message for an error number.
func systemMessage(_ code: Int32) -> String {
    guard let text = strerror(code) else { return "error \(code)" }
    return String(cString: text)
}

/// Runs a blocking body on a thread of its own. In a queue it would wait for other blocking work.
public func onThread(_ body: @escaping @Sendable () -> Void) {
    let box = Unmanaged.passRetained(Body(run: body))
    var thread = pthread_t()
    let code = pthread_create(
        &thread, nil,
        { argument in
            guard let argument else { return nil }
            Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
            return nil
        }, box.toOpaque())
    precondition(code == 0, "no thread for the test harness: \(systemMessage(code))")
    pthread_detach(thread)
}

private final class Body: Sendable {
    let run: @Sendable () -> Void

    init(run: @escaping @Sendable () -> Void) {
        self.run = run
    }
}

/// Runs a blocking call on a thread of its own, so that it does not block one of Swift's few threads.
func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        onThread { continuation.resume(with: Result(catching: body)) }
    }
}

/// Held while descriptors are created and while a program starts, so that no program inherits a descriptor meant for another. The calls
/// that create descriptors close-on-exec at once are hidden from Swift.
let startLock = Mutex(())

/// A pipe whose ends are close-on-exec. Created under ``startLock``.
struct Pipe {
    let reading: Int32
    let writing: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw HarnessError.system("pipe", errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        reading = ends[0]
        writing = ends[1]
    }
}

/// Waits until a descriptor is readable or at its end. Returns these descriptors; none after `milliseconds`.
func readable(_ descriptors: [Int32], milliseconds: Int32) -> [Int32] {
    var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    guard poll(&entries, nfds_t(entries.count), milliseconds) > 0 else { return [] }
    return entries.filter { $0.revents != 0 }.map(\.fd)
}

/// Returns the available bytes, at most 64 KiB; nil at the end.
func readSome(_ descriptor: Int32) -> [UInt8]? {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = read(descriptor, &chunk, chunk.count)
        if count > 0 { return Array(chunk[..<count]) }
        if count == 0 { return nil }
        if errno == EAGAIN { return [] }
        if errno != EINTR { return nil }
    }
}

/// Writes all bytes, or as many as the reader accepts before it closes.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return }
    }
}

extension ContinuousClock.Instant {
    /// Milliseconds until this instant, for `poll`; zero if it has passed.
    var millisecondsFromNow: Int32 {
        let left = ContinuousClock.now.duration(to: self).components
        let milliseconds = left.seconds * 1_000 + left.attoseconds / 1_000_000_000_000_000
        return Int32(clamping: max(0, milliseconds))
    }
}
