import CLibraries
import Dispatch
import Glibc
import OperatingSystem
import ProcessHarness
import Testing

@testable import Agent

/// A fake systemd-logind on a test's bus, which sends sleep signals.
final class FakeLogind: Sendable {
    let bus: MessageBus
    private let connection: BusConnection
    private let queue = DispatchQueue(label: "fake logind")
    private nonisolated(unsafe) let source: any DispatchSourceRead
    /// The inhibitors in the order of the requests.
    private let inhibitions: AsyncStream<Inhibition>
    private let inhibited: AsyncStream<Inhibition>.Continuation

    private static let manager = "org.freedesktop.login1.Manager"
    private let refuses: Bool

    /// An inhibitor: a sleep waits until its holder releases it.
    struct Inhibition: Sendable {
        /// The arguments of the request.
        var requestArguments: [String]
        /// The unique bus name of the client.
        var client: String
        /// -1 if it was refused.
        fileprivate var pipe: Int32

        /// Whether the holder has not released it.
        var isHeld: Bool {
            var state = pollfd(fd: pipe, events: 0, revents: 0)
            return poll(&state, 1, 0) == 0
        }

        /// Waits until the holder releases it.
        func end() async {
            let pipe = pipe
            await DetachedThread.run(stackSize: 256 << 10) {
                var byte: UInt8 = 0
                while read(pipe, &byte, 1) < 0 && errno == EINTR {}
                close(pipe)
            }
        }
    }

    /// - Parameters:
    ///   - name: The name that the service requests on the bus.
    ///   - refuses: Whether it grants no inhibitors.
    init(on bus: MessageBus, name: String = "org.freedesktop.login1", refuses: Bool = false) throws {
        self.bus = bus
        self.refuses = refuses
        let connection = try #require(BusConnection(bus.address))
        self.connection = connection
        (inhibitions, inhibited) = AsyncStream.makeStream()
        source = DispatchSource.makeReadSource(fileDescriptor: connection.descriptor, queue: queue)
        source.setEventHandler { [weak self] in self?.receive() }
        source.setCancelHandler { connection.close() }
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = connection.functions.add_filter(
            connection.handle, nil,
            { message, context, _ in
                guard let context else { return 0 }
                return Unmanaged<FakeLogind>.fromOpaque(context).takeUnretainedValue().handle(message)
            }, context)
        // It waits for the bus, and a call may arrive before its answer.
        let isNamed = connection.functions.request_name(connection.handle, name, 0) >= 0
        try #require(isNamed)
        source.activate()
        queue.async { [weak self] in self?.receive() }
    }

    deinit { source.cancel() }

    /// Waits for the next inhibitor.
    func inhibition() async -> Inhibition? {
        for await inhibition in inhibitions { return inhibition }
        return nil
    }

    /// Sends the signal that the machine is about to sleep, or has woken.
    ///
    /// - Parameter client: The bus name of the only receiver; the signal goes to all by default.
    func sendSleepSignal(sleeps: Bool, to client: String? = nil) throws {
        try queue.sync {
            let functions = connection.functions
            var message: OpaquePointer?
            _ = functions.message_new_signal(connection.handle, &message, "/org/freedesktop/login1", Self.manager, "PrepareForSleep")
            let signal = try #require(message)
            defer { _ = functions.message_unref(signal) }
            var flag: Int32 = sleeps ? 1 : 0
            _ = functions.message_append_basic(signal, BusMessage.Kind.flag, &flag)
            if let client { _ = functions.message_set_destination(signal, client) }
            let isSent = functions.send(connection.handle, signal, nil) >= 0
            try #require(isSent)
        }
    }

    // MARK: The bus

    private func receive() { if !connection.process() { source.cancel() } }

    /// Replies to a request for an inhibitor with one end of a pipe, as logind does. Returns whether the message was one.
    private func handle(_ message: OpaquePointer) -> Int32 {
        let functions = connection.functions
        guard functions.message_is_method_call(message, Self.manager, "Inhibit") > 0 else { return 0 }
        let call = BusMessage(message)
        let arguments = (0..<4).compactMap { _ in call.text() }
        guard !refuses else {
            inhibited.yield(Inhibition(requestArguments: arguments, client: call.sender ?? "", pipe: -1))
            // sd-bus answers a call that no handler takes with an error.
            return 0
        }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return 0 }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // sd-bus sends a copy.
        defer { close(ends[1]) }
        var reply: OpaquePointer?
        guard functions.message_new_method_return(message, &reply) >= 0, let reply else { return 0 }
        defer { _ = functions.message_unref(reply) }
        guard functions.message_append_basic(reply, BusMessage.Kind.descriptor, &ends[1]) >= 0,
            functions.send(connection.handle, reply, nil) >= 0
        else { return 0 }
        inhibited.yield(Inhibition(requestArguments: arguments, client: call.sender ?? "", pipe: ends[0]))
        return 1
    }
}
