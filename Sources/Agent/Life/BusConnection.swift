import CLibraries
import Glibc

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
