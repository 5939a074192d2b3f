import CLibraries
import Dispatch
import Glibc
import Synchronization

/// Reports that the machine is about to sleep, as systemd-logind announces it on the system bus, and delays the sleep until it is allowed,
/// for at most the time that logind grants (default: five seconds).
///
/// Without a system bus, sd-bus or logind it reports nothing. It wakes up only for messages.
final class SleepWatch: Sendable {
    enum Event: Equatable, Sendable { case aboutToSleep, woke }

    private struct State {
        var messages = LogindMessages()
        /// While this descriptor is open, the next sleep waits.
        var inhibitor: Int32?
        /// The inhibitor of the last announced sleep. A new one may arrive before this one is closed, because logind does not wait forever.
        var sleepInhibitor: Int32?
    }

    /// The events, until the bus is gone; for one reader.
    let events: AsyncStream<Event>
    private let happened: AsyncStream<Event>.Continuation
    private let state = Mutex(State())
    private let bus: BusConnection
    // A dispatch source may be cancelled and released from any thread, as its documentation says; its type does not express that.
    private nonisolated(unsafe) let source: any DispatchSourceRead

    /// Starts listening; `nil` if there is no bus.
    init?(environment: [String: String]) {
        guard let address = environment["DBUS_SYSTEM_BUS_ADDRESS"] ?? BusConnection.systemBus, let bus = BusConnection(address) else {
            return nil
        }
        self.bus = bus
        (events, happened) = AsyncStream.makeStream()
        source = DispatchSource.makeReadSource(fileDescriptor: bus.descriptor, queue: DispatchQueue(label: "yett.sleep"))
        source.setEventHandler { [weak self] in self?.receive() }
        source.setCancelHandler { bus.close() }
        bus.match(
            "type='signal',sender='\(LogindMessages.name)',path='\(LogindMessages.path)',"
                + "interface='\(LogindMessages.manager)',member='PrepareForSleep'", context
        ) { message, context, _ in
            SleepWatch.of(context)?.sleeps(BusMessage(message))
            return 0
        }
        bus.match(
            "type='signal',sender='\(LogindMessages.bus)',interface='\(LogindMessages.bus)',member='NameOwnerChanged',"
                + "arg0='\(LogindMessages.name)'", context
        ) { message, context, _ in
            SleepWatch.of(context)?.ownerChanged(BusMessage(message))
            return 0
        }
        inhibit()
        source.activate()
    }

    deinit {
        source.cancel()
        state.withLock { state in
            for descriptor in [state.inhibitor, state.sleepInhibitor].compactMap(\.self) { close(descriptor) }
        }
        happened.finish()
    }

    /// Lets the machine enter the announced sleep.
    func allowSleep() {
        state.withLock { state in
            if let descriptor = state.sleepInhibitor { close(descriptor) }
            state.sleepInhibitor = nil
        }
    }

    // MARK: The bus, on the source's queue

    /// This object for the handlers, which run only in ``receive()``.
    private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    private static func of(_ context: UnsafeMutableRawPointer?) -> SleepWatch? {
        context.map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    private func receive() {
        guard !bus.process() else { return }
        source.cancel()
        allowSleep()
        state.withLock { state in
            if let inhibitor = state.inhibitor { close(inhibitor) }
            state.inhibitor = nil
        }
        happened.finish()
    }

    /// Asks that the next sleep waits.
    private func inhibit() {
        bus.call(
            "Inhibit", of: LogindMessages.manager, at: LogindMessages.path, to: LogindMessages.name,
            ["sleep", "yett", "to clear the keys from memory", "delay"], context
        ) { message, context, _ in
            SleepWatch.of(context)?.answered(BusMessage(message))
            return 0
        }
    }

    private func answered(_ message: BusMessage) {
        let descriptor = message.isError ? nil : message.descriptor()
        state.withLock { state in
            state.messages.answered(by: message.sender)
            guard let descriptor else { return }
            if state.inhibitor == nil { state.inhibitor = descriptor } else { close(descriptor) }
        }
    }

    private func sleeps(_ message: BusMessage) {
        guard let isFalling = message.flag() else { return }
        perform(state.withLock { $0.messages.sleepSignal(isFalling, from: message.sender) })
    }

    private func ownerChanged(_ message: BusMessage) {
        let words = (0..<3).compactMap { _ in message.text() }
        guard words.count == 3 else { return }
        perform(state.withLock { $0.messages.ownerChanged(of: words[0], to: words[2], from: message.sender) })
    }

    private func perform(_ actions: [LogindMessages.Action]) {
        for action in actions {
            switch action {
            case .inhibit: inhibit()
            case .aboutToSleep:
                allowSleep()
                state.withLock { state in
                    state.sleepInhibitor = state.inhibitor
                    state.inhibitor = nil
                }
                happened.yield(.aboutToSleep)
            case .woke: happened.yield(.woke)
            }
        }
    }
}

/// Decides which messages on the system bus are systemd-logind's (org.freedesktop.login1): any program there can send a signal to this one.
///
/// It trusts only messages of the bus itself and of the owner of logind's name there.
struct LogindMessages {
    /// An action for the caller.
    enum Action: Equatable {
        /// Ask that the next sleep waits.
        case inhibit
        case aboutToSleep, woke
    }

    static let bus = "org.freedesktop.DBus"
    static let name = "org.freedesktop.login1"
    static let manager = "org.freedesktop.login1.Manager"
    static let path = "/org/freedesktop/login1"

    /// The unique bus name of logind.
    private var logind: String?

    /// Handles the answer to ``Action/inhibit``, also a refusal. The bus itself answers if there is no logind.
    mutating func answered(by sender: String?) { if sender != Self.bus { logind = sender } }

    /// Handles `PrepareForSleep`.
    func sleepSignal(_ isFalling: Bool, from sender: String?) -> [Action] {
        guard logind != nil, sender == logind else { return [] }
        return isFalling ? [.aboutToSleep] : [.woke, .inhibit]
    }

    /// Handles `NameOwnerChanged`. A new logind does not know our inhibitor.
    mutating func ownerChanged(of name: String, to owner: String, from sender: String?) -> [Action] {
        guard sender == Self.bus, name == Self.name else { return [] }
        logind = nil
        return owner.isEmpty ? [] : [.inhibit]
    }
}

/// A connection to a message bus through sd-bus, for one thread at a time. The handlers run in ``process()``.
struct BusConnection: Sendable {
    /// sd-bus has no rule about threads but that no two use a connection at once.
    nonisolated(unsafe) let handle: OpaquePointer
    private nonisolated(unsafe) let library: UnsafePointer<cbus_functions>

    /// The address of the system bus; `nil` if there is none, so that no library is loaded for it.
    static var systemBus: String? {
        // From the D-Bus specification, "Well-known Message Bus Instances".
        let path = "/var/run/dbus/system_bus_socket"
        return access(path, F_OK) == 0 ? "unix:path=\(path)" : nil
    }

    /// Connects to the first reachable address of a list such as `unix:path=…;unix:abstract=…`; `nil` without a bus or the library.
    init?(_ address: String) {
        guard let library = cbus_load() else { return nil }
        var handle: OpaquePointer?
        guard library.pointee.new(&handle) >= 0, let handle else { return nil }
        (self.handle, self.library) = (handle, library)
        let isOpen =
            functions.set_address(handle, address) >= 0 && functions.set_bus_client(handle, 1) >= 0 && functions.start(handle) >= 0
        guard isOpen else {
            close()
            return nil
        }
    }

    /// The functions of sd-bus.
    var functions: cbus_functions { library.pointee }

    /// Becomes readable when there is something to ``process()``.
    var descriptor: Int32 { functions.get_fd(handle) }

    /// Ends the connection. No handler runs afterwards.
    func close() {
        functions.close(handle)
        _ = functions.unref(handle)
    }

    /// Handles what has arrived. Returns false if the connection is over.
    func process() -> Bool {
        while true {
            let result = functions.process(handle, nil)
            if result < 0 { return false }
            // sd-bus may stop before the end of the connection, which a dispatch source reports only once, with the last bytes.
            guard result > 0 || isReadable else { return true }
        }
    }

    private var isReadable: Bool {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&wanted, 1, 0) > 0
    }

    /// Passes the signals that a rule describes to a handler.
    func match(_ rule: String, _ context: UnsafeMutableRawPointer, _ handler: @escaping cbus_handler) {
        _ = functions.add_match_async(handle, nil, rule, handler, nil, context)
    }

    /// Calls a method with texts as arguments, and passes the answer to a handler, however late it is.
    func call(
        _ member: String, of interface: String, at path: String, to name: String, _ words: [String], _ context: UnsafeMutableRawPointer,
        _ handler: @escaping cbus_handler
    ) {
        var message: OpaquePointer?
        guard functions.message_new_method_call(handle, &message, name, path, interface, member) >= 0, let message else { return }
        defer { _ = functions.message_unref(message) }
        for word in words { _ = functions.message_append_basic(message, BusMessage.Kind.text, word) }
        _ = functions.call_async(handle, nil, message, handler, context, .max)
    }
}

/// A message, whose values are read in their order. It belongs to sd-bus and to the handler that got it.
struct BusMessage {
    /// The letters of the D-Bus specification for types.
    enum Kind {
        static let text = CChar(UInt8(ascii: "s"))
        static let flag = CChar(UInt8(ascii: "b"))
        static let descriptor = CChar(UInt8(ascii: "h"))
    }

    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) { self.handle = handle }

    private var functions: cbus_functions? { cbus_load()?.pointee }

    /// The unique name of the sender, which the bus writes.
    var sender: String? { functions?.message_get_sender(handle).map { String(cString: $0) } }

    /// Whether it reports that a call failed.
    var isError: Bool { (functions?.message_is_method_error(handle, nil) ?? 0) > 0 }

    /// Returns the next value if it is a flag.
    func flag() -> Bool? {
        var flag: Int32 = 0
        return (functions?.message_read_basic(handle, Kind.flag, &flag) ?? 0) > 0 ? flag != 0 : nil
    }

    /// Returns the next value if it is a text.
    func text() -> String? {
        var text: UnsafePointer<CChar>?
        guard (functions?.message_read_basic(handle, Kind.text, &text) ?? 0) > 0 else { return nil }
        return text.map { String(cString: $0) }
    }

    /// Returns the next value if it is a descriptor, as a copy for the caller to close.
    func descriptor() -> Int32? {
        var descriptor: Int32 = -1
        guard (functions?.message_read_basic(handle, Kind.descriptor, &descriptor) ?? 0) > 0 else { return nil }
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        return copy >= 0 ? copy : nil
    }
}
