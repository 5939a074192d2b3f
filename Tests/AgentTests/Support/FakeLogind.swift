import Glibc
import LocalServer
import ProcessHarness
import Synchronization
import OperatingSystem
import Testing

@testable import Agent

/// A fake systemd-logind on a test's bus, which sends sleep signals.
final class FakeLogind: Sendable {
    let bus: MessageBus
    private let socket: Int32
    private let serial = Mutex<UInt32>(0)
    /// The inhibitors in the order of the requests.
    private let inhibitions: AsyncStream<Inhibition>
    private let inhibited: AsyncStream<Inhibition>.Continuation

    /// An inhibitor: a sleep waits until its holder releases it.
    struct Inhibition: Sendable {
        /// The arguments of the request.
        var requestArguments: [String]
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

    /// - Parameter name: The name that the service requests on the bus.
    init(on bus: MessageBus, name: String = "org.freedesktop.login1") async throws {
        self.bus = bus
        (inhibitions, inhibited) = AsyncStream.makeStream()
        socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let address = try #require(UnixSocketAddress(bus.path))
        try #require(address.withPointer { connect(socket, $0, $1) } == 0)
        try greet()
        try send(.call("Hello", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", to: "org.freedesktop.DBus", serial: next()))
        var arguments = BusBytes()
        arguments.append(name)
        arguments.append(0)
        var request = BusMessage.call(
            "RequestName", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", to: "org.freedesktop.DBus", serial: next())
        request.texts[.signature] = "su"
        request.body = arguments.bytes
        try send(request)
        let (named, isNamed) = AsyncStream.makeStream(of: Void.self)
        let wanted = request.serial
        DetachedThread.startOrRun(stackSize: 256 << 10) { [weak self, socket] in
            var unread: [UInt8] = []
            while let message = Self.receive(socket, &unread) {
                if message.replySerial == wanted { isNamed.yield() }
                if message.texts[.member] == "Inhibit" { self?.inhibit(message) }
            }
            isNamed.finish()
        }
        for await _ in named { break }
    }

    deinit { shutdown(socket, Int32(SHUT_RDWR)) }

    /// Waits for the next inhibitor.
    func inhibition() async -> Inhibition? {
        for await inhibition in inhibitions { return inhibition }
        return nil
    }

    /// Sends the signal that the machine is about to sleep, or has woken.
    func sendSleepSignal(sleeps: Bool) throws {
        var body = BusBytes()
        body.append(sleeps ? 1 : 0)
        try send(
            BusMessage(
                kind: .signal, serial: next(),
                texts: [
                    .path: "/org/freedesktop/login1", .interface: "org.freedesktop.login1.Manager", .member: "PrepareForSleep",
                    .signature: "b",
                ], body: body.bytes))
    }

    // MARK: The bus

    private func next() -> UInt32 {
        serial.withLock { serial in
            serial += 1
            return serial
        }
    }

    private func greet() throws {
        for (line, answer) in [(LogindConnection.greeting(user: geteuid()), "OK "), (Array("NEGOTIATE_UNIX_FD\r\n".utf8), "AGREE_UNIX_FD")]
        {
            try #require(write(socket, line, line.count) == line.count)
            var buffer = [UInt8](repeating: 0, count: 256)
            let count = read(socket, &buffer, buffer.count)
            try #require(String(decoding: buffer.prefix(max(0, count)), as: UTF8.self).hasPrefix(answer))
        }
        try #require(write(socket, "BEGIN\r\n", 7) == 7)
    }

    private func send(_ message: BusMessage) throws {
        let bytes = message.bytes
        try #require(write(socket, bytes, bytes.count) == bytes.count)
    }

    private static func receive(_ socket: Int32, _ unread: inout [UInt8]) -> BusMessage? {
        while true {
            if let length = try? BusMessage.length(of: unread[...]), unread.count >= length {
                defer { unread.removeFirst(length) }
                if let message = try? BusMessage.read(unread[..<length]) { return message }
            }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = read(socket, &buffer, buffer.count)
            guard count > 0 else { return nil }
            unread += buffer[..<count]
        }
    }

    /// Replies with one end of a pipe, as logind does.
    private func inhibit(_ call: BusMessage) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var body = BusBytes()
        body.append(0)
        let answer = BusMessage(
            kind: .reply, serial: next(), texts: [.destination: call.texts[.sender] ?? "", .signature: "h"], replySerial: call.serial,
            descriptorCount: 1, body: body.bytes)
        Self.send(answer.bytes, with: ends[1], on: socket)
        close(ends[1])
        inhibited.yield(Inhibition(requestArguments: call.strings, pipe: ends[0]))
    }

    /// `sendmsg` with one descriptor (unix(7), SCM_RIGHTS).
    private static func send(_ bytes: [UInt8], with descriptor: Int32, on socket: Int32) {
        var bytes = bytes
        let head = MemoryLayout<cmsghdr>.size
        var control = [UInt8](repeating: 0, count: head + 8)
        control.withUnsafeMutableBytes { control in
            control.storeBytes(of: cmsghdr(), as: cmsghdr.self)
            control.storeBytes(of: head + 4, as: Int.self)
            control.storeBytes(of: SOL_SOCKET, toByteOffset: 8, as: Int32.self)
            control.storeBytes(of: Int32(SCM_RIGHTS), toByteOffset: 12, as: Int32.self)
            control.storeBytes(of: descriptor, toByteOffset: head, as: Int32.self)
            bytes.withUnsafeMutableBytes { bytes in
                var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
                withUnsafeMutablePointer(to: &part) { part in
                    var message = msghdr()
                    message.msg_iov = part
                    message.msg_iovlen = 1
                    message.msg_control = control.baseAddress
                    message.msg_controllen = control.count
                    _ = sendmsg(socket, &message, Int32(MSG_NOSIGNAL))
                }
            }
        }
    }
}
