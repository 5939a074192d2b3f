/// The agent's side of the D-Bus conversation with systemd-logind (org.freedesktop.login1), without the socket. It learns when the machine
/// is about to sleep and when it woke, and asks that a sleep waits for it.
///
/// It trusts only messages of the bus itself and of the owner of logind's name there.
struct LogindConnection {
    /// An action for the caller.
    enum Action: Equatable {
        case send([UInt8])
        /// That many of the received descriptors belong to the last message. `isInhibitor`: they delay the sleep until they are closed.
        case descriptors(Int, isInhibitor: Bool)
        case aboutToSleep
        case woke
    }

    private enum Phase {
        /// SASL, line by line: first authentication, then whether descriptors can be sent.
        case naming, negotiating
        case talking
    }

    private var phase = Phase.naming
    private var unread: [UInt8] = []
    private var serial: UInt32 = 0
    /// The serial number of the unanswered inhibit call.
    private var inhibitSerial: UInt32?
    /// The unique bus name of logind.
    private var logind: String?

    private static let bus = "org.freedesktop.DBus"
    private static let name = "org.freedesktop.login1"
    private static let manager = "org.freedesktop.login1.Manager"
    private static let path = "/org/freedesktop/login1"
    /// Maximum length of an authentication line.
    private static let lineLimit = 1024

    /// Returns the first bytes to send, which authenticate a user.
    static func greeting(user: UInt32) -> [UInt8] {
        let digits = String(user).utf8.map { String($0, radix: 16) }.joined()
        return [0] + Array("AUTH EXTERNAL \(digits)\r\n".utf8)
    }

    /// Returns the actions for received bytes. Throws if the conversation is over.
    mutating func take(_ bytes: some Sequence<UInt8>) throws(BusReader.Malformed) -> [Action] {
        unread += bytes
        var actions: [Action] = []
        while let action = try next() { actions += action }
        return actions
    }

    /// Asks that the next sleep waits.
    mutating func inhibit() -> Action {
        let action = call(
            "Inhibit", of: Self.manager, at: Self.path, to: Self.name, ["sleep", "yett", "to clear the keys from memory", "delay"])
        inhibitSerial = serial
        return action
    }

    private mutating func next() throws(BusReader.Malformed) -> [Action]? {
        guard phase == .talking else { return try line().map { (line) throws(BusReader.Malformed) in try answer(line) } }
        guard let length = try BusMessage.length(of: unread[...]), unread.count >= length else { return nil }
        defer { unread.removeFirst(length) }
        return try BusMessage.read(unread[..<length]).map { message in take(message) } ?? []
    }

    private mutating func line() throws(BusReader.Malformed) -> String? {
        guard let end = unread.firstIndex(of: UInt8(ascii: "\n")) else {
            guard unread.count < Self.lineLimit else { throw BusReader.Malformed() }
            return nil
        }
        defer { unread.removeFirst(end + 1) }
        return String(decoding: unread[..<end], as: UTF8.self)
    }

    private mutating func answer(_ line: String) throws(BusReader.Malformed) -> [Action] {
        if phase == .naming {
            guard line.hasPrefix("OK ") else { throw BusReader.Malformed() }
            phase = .negotiating
            return [.send(Array("NEGOTIATE_UNIX_FD\r\n".utf8))]
        }
        // A bus that sends no descriptors still announces sleeps.
        guard line.hasPrefix("AGREE_UNIX_FD") || line.hasPrefix("ERROR") else { throw BusReader.Malformed() }
        phase = .talking
        return [
            .send(Array("BEGIN\r\n".utf8)), call("Hello", of: Self.bus, at: "/org/freedesktop/DBus", to: Self.bus),
            match("type='signal',sender='\(Self.name)',path='\(Self.path)',interface='\(Self.manager)',member='PrepareForSleep'"),
            match("type='signal',sender='\(Self.bus)',interface='\(Self.bus)',member='NameOwnerChanged',arg0='\(Self.name)'"),
            inhibit(),
        ]
    }

    private mutating func match(_ rule: String) -> Action {
        call("AddMatch", of: Self.bus, at: "/org/freedesktop/DBus", to: Self.bus, [rule])
    }

    private mutating func call(_ member: String, of interface: String, at path: String, to name: String, _ words: [String] = []) -> Action {
        serial += 1
        return .send(BusMessage.call(member, of: interface, at: path, to: name, serial: serial, words).bytes)
    }

    private mutating func take(_ message: BusMessage) -> [Action] {
        var actions: [Action] = []
        let sender = message.texts[.sender] ?? ""
        let isAnswer = message.kind == .reply || message.kind == .failure
        let isOurs = isAnswer && inhibitSerial != nil && message.replySerial == inhibitSerial
        if isOurs {
            inhibitSerial = nil
            // The bus itself answers if there is no logind.
            if sender != Self.bus { logind = sender }
        }
        if message.descriptorCount > 0 {
            actions.append(.descriptors(Int(message.descriptorCount), isInhibitor: isOurs && message.kind == .reply))
        }
        guard message.kind == .signal else { return actions }
        switch (message.texts[.interface], message.texts[.member]) {
        case (Self.manager, "PrepareForSleep") where sender == logind:
            guard let isFalling = message.flag else { break }
            actions += isFalling ? [.aboutToSleep] : [.woke, inhibit()]
        case (Self.bus, "NameOwnerChanged") where sender == Self.bus:
            let words = message.strings
            guard words.count == 3, words[0] == Self.name else { break }
            logind = nil
            // A new logind does not know our inhibitor.
            if !words[2].isEmpty { actions.append(inhibit()) }
        default: break
        }
        return actions
    }
}
