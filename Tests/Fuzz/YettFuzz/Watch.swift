import Fuzzing
import Glibc
import Synchronization

/// Records each input before it is read, so that an input that crashes or hangs the process can be reported.
struct Watch {
    /// The time limit for one input, in seconds.
    static let timeLimit: UInt32 = 10
    /// The memory limit of the process, in bytes. Readers need a few times the size of their input, which is small.
    static let memoryLimit = 512 << 20

    private(set) var slowest = (time: Duration.zero, number: 0)
    private let begin = ContinuousClock.now
    private var last: (begin: ContinuousClock.Instant, number: Int)?

    init(reader: String, seed: UInt64) {
        Self.head.set(Array("yett-fuzz: \(reader), seed \(seed): ended or did not end at the input ".utf8))
        alarm(Self.timeLimit)
    }

    /// The seconds since the start.
    var seconds: Double { (ContinuousClock.now - begin) / .seconds(1) }

    mutating func see(_ number: Int, _ input: [UInt8]) throws {
        end()
        last = (.now, number)
        Self.input.set(input)
        // The limit is for the next input; this replaces the previous alarm.
        alarm(Self.timeLimit)
        if number & 0xFF == 0, Self.peakMemory > Self.memoryLimit {
            throw BrokenProperty("the memory has grown to \(Self.peakMemory >> 20) MiB by input \(number)")
        }
    }

    /// Ends the time measurement of the last input.
    mutating func end() {
        if let last, case let time = ContinuousClock.now - last.begin, time > slowest.time { slowest = (time, last.number) }
        last = nil
        alarm(0)
    }

    /// The peak resident memory, in bytes.
    static var peakMemory: Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss << 10
    }

    /// Writes a line immediately, so that it is not lost in a crash.
    static func say(_ descriptor: Int32, _ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }

    /// Installs the signal handlers and a limit for allocations.
    static func begin() throws {
        var bound = rlimit(rlim_cur: rlim_t(memoryLimit << 2), rlim_max: rlim_t(memoryLimit << 2))
        guard setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &bound) == 0 else { throw BrokenProperty("memory cannot be bounded") }
        for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGALRM] {
            signal(number) { number in
                // Nothing here allocates, because the signal may have interrupted an allocation.
                Watch.head.write(inHexadecimal: false)
                Watch.input.write(inHexadecimal: true)
                _exit(128 + number)
            }
        }
    }

    private static let head = SignalSafeBytes()
    private static let input = SignalSafeBytes()
}

/// Bytes at a fixed address, for a signal handler to write.
private struct SignalSafeBytes: Sendable, ~Copyable {
    private static let capacity = 1 << 16
    // Written by the one thread that reads inputs, and read by a handler that interrupts it: never at the same time.
    private nonisolated(unsafe) let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 1)
    private let count = Atomic(0)

    func set(_ new: [UInt8]) {
        let length = min(new.count, Self.capacity)
        bytes.copyBytes(from: new.prefix(length))
        count.store(length, ordering: .relaxed)
    }

    func write(inHexadecimal: Bool) {
        for byte in bytes.prefix(count.load(ordering: .relaxed)) {
            if inHexadecimal {
                putDigit(byte >> 4)
                putDigit(byte & 15)
            } else {
                put(byte)
            }
        }
        if inHexadecimal { put(0x0A) }
    }

    private func putDigit(_ digit: UInt8) { put(digit < 10 ? 0x30 + digit : 0x57 + digit) }

    private func put(_ byte: UInt8) {
        var byte = byte
        _ = Glibc.write(STDERR_FILENO, &byte, 1)
    }
}
