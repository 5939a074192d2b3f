import Glibc
import Synchronization

/// The system's word for an error number.
func systemMessage(_ code: Int32) -> String {
    guard let text = strerror(code) else { return "error \(code)" }
    return String(cString: text)
}

/// Runs a blocking body on a thread of its own. A queue would make it wait for others that block.
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

/// Runs a blocking call on a thread of its own, so that it does not hold one of Swift's few.
func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        onThread { continuation.resume(with: Result(catching: body)) }
    }
}

/// Held while descriptors are made and while a program is started, so that no program inherits one in between that is meant for
/// another: the calls that make them close-on-exec at once are hidden from Swift.
let startLock = Mutex(())

/// A pipe whose ends no child inherits unless it is told to. Made under ``startLock``.
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

/// Waits until one of the descriptors can be read or has ended, and says which; none of them after `milliseconds`.
func readable(_ descriptors: [Int32], milliseconds: Int32) -> [Int32] {
    var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    guard poll(&entries, nfds_t(entries.count), milliseconds) > 0 else { return [] }
    return entries.filter { $0.revents != 0 }.map(\.fd)
}

/// What is there to read now, at most 64 KiB; nil at the end.
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

/// Writes all of it, or as much as the reader takes before it goes away.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return }
    }
}

extension ContinuousClock.Instant {
    /// Milliseconds until then, for `poll`; zero when it has passed.
    var millisecondsFromNow: Int32 {
        let left = ContinuousClock.now.duration(to: self).components
        let milliseconds = left.seconds * 1_000 + left.attoseconds / 1_000_000_000_000_000
        return Int32(clamping: max(0, milliseconds))
    }
}
