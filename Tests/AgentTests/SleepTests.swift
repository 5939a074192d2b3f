import AuthModel
import Glibc
import ProcessHarness
import TestConcurrency
import Testing

@testable import Agent

/// D-Bus messages, byte by byte.
struct BusMessageTests {
    private static let samples: [BusMessage] = [
        .call("Hello", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", to: "org.freedesktop.DBus", serial: 1),
        .call("AddMatch", of: "org.freedesktop.DBus", at: "/a", to: "b.c", serial: 2, ["type='signal'", "ä", ""]),
        BusMessage(
            kind: .reply, serial: 7, texts: [.sender: ":1.4", .signature: "h"], replySerial: 3, descriptorCount: 1, body: [0, 0, 0, 0]),
        BusMessage(kind: .signal, serial: 9, texts: [.path: "/x", .interface: "i.j", .member: "M", .signature: "b"], body: [1, 0, 0, 0]),
    ]

    @Test(arguments: samples)
    func messagesRoundTrip(message: BusMessage) throws {
        let bytes = message.bytes
        #expect(try BusMessage.length(of: bytes[...]) == bytes.count)
        #expect(try BusMessage.read(bytes[...]) == message)
        #expect(try BusMessage.length(of: bytes.prefix(15)) == nil)
    }

    @Test func readsStringsAndFlags() {
        #expect(Self.samples[1].strings == ["type='signal'", "ä", ""])
        #expect(Self.samples[3].flag == true)
        #expect(Self.samples[0].flag == nil)
    }

    /// Parsing ends for every truncation and every changed byte, with or without a message.
    @Test(arguments: samples)
    func parsingNeverReadsBeyondTheEnd(message: BusMessage) {
        let bytes = message.bytes
        for count in 16..<bytes.count { #expect(throws: BusReader.Malformed.self) { try BusMessage.read(bytes.prefix(count)) } }
        for index in bytes.indices {
            for value in [0, 1, 0x7F, 0xFF] as [UInt8] {
                var changedBytes = bytes
                changedBytes[index] = value
                _ = try? BusMessage.length(of: changedBytes[...])
                _ = try? BusMessage.read(changedBytes[...])
            }
        }
    }

    @Test func refusesAnOverlongMessage() {
        var bytes = Self.samples[0].bytes
        bytes[7] = 0x7F
        #expect(throws: BusReader.Malformed.self) { try BusMessage.length(of: bytes[...]) }
    }
}

/// The messages on the system bus that the agent trusts.
struct LogindConnectionTests {
    private var talk = LogindConnection()

    private static func lines(_ text: String) -> [UInt8] { Array(text.utf8) }

    private func signal(_ member: String, of interface: String, from sender: String, _ signature: String, _ body: BusBytes) -> [UInt8] {
        BusMessage(
            kind: .signal, serial: 5,
            texts: [.path: "/x", .interface: interface, .member: member, .sender: sender, .signature: signature], body: body.bytes
        ).bytes
    }

    private func sleep(_ sleeps: Bool, from sender: String) -> [UInt8] {
        var body = BusBytes()
        body.append(sleeps ? 1 : 0)
        return signal("PrepareForSleep", of: "org.freedesktop.login1.Manager", from: sender, "b", body)
    }

    /// Serial numbers count from 1: Hello, two matches, the inhibitor request.
    private func answer(from sender: String, to serial: UInt32 = 4, isFailure: Bool = false) -> [UInt8] {
        BusMessage(
            kind: isFailure ? .failure : .reply, serial: 3, texts: [.sender: sender, .signature: "h"], replySerial: serial,
            descriptorCount: isFailure ? 0 : 1, body: [0, 0, 0, 0]
        ).bytes
    }

    private mutating func begin() throws {
        #expect(try talk.take(Self.lines("OK 1234\r\n")) == [.send(Self.lines("NEGOTIATE_UNIX_FD\r\n"))])
        #expect(try talk.take(Self.lines("AGREE_UNIX_FD\r\n")).count == 5)
    }

    @Test mutating func authenticatesLineByLine() throws {
        #expect(LogindConnection.greeting(user: 1000) == [0] + Self.lines("AUTH EXTERNAL 31303030\r\n"))
        #expect(try talk.take(Self.lines("OK 12")) == [])
        #expect(try talk.take(Self.lines("34\r\nERROR\r\n")).count == 6)
    }

    @Test(arguments: ["REJECTED EXTERNAL\r\n", "OK 1\r\nREJECTED\r\n", String(repeating: "x", count: 2000)])
    mutating func stopsWhenAuthenticationFails(answer: String) {
        #expect(throws: BusReader.Malformed.self) { try talk.take(Self.lines(answer)) }
    }

    @Test mutating func acceptsSignalsOfLogind() throws {
        try begin()
        #expect(try talk.take(answer(from: ":1.2")) == [.descriptors(1, isInhibitor: true)])
        #expect(try talk.take(sleep(true, from: ":1.2")) == [.aboutToSleep])
        let woken = try talk.take(sleep(false, from: ":1.2"))
        #expect(woken.first == .woke)
        #expect(woken.count == 2)
        #expect(try talk.take(answer(from: ":1.2", to: 5)) == [.descriptors(1, isInhibitor: true)])
    }

    /// logind sends sleep signals even if it refuses the inhibitor.
    @Test mutating func acceptsSignalsWithoutAnInhibitor() throws {
        try begin()
        #expect(try talk.take(answer(from: ":1.2", isFailure: true)) == [])
        #expect(try talk.take(sleep(true, from: ":1.2")) == [.aboutToSleep])
    }

    @Test mutating func ignoresSignalsOfOthers() throws {
        try begin()
        // Before logind's identity is known, and from another sender.
        #expect(try talk.take(sleep(true, from: ":1.2")) == [])
        #expect(try talk.take(answer(from: ":1.2")) == [.descriptors(1, isInhibitor: true)])
        #expect(try talk.take(sleep(true, from: ":1.3")) == [])
        // A reply to no request grants no inhibitor, and does not make its sender logind.
        #expect(try talk.take(answer(from: ":1.3")) == [.descriptors(1, isInhibitor: false)])
        #expect(try talk.take(sleep(true, from: ":1.3")) == [])
    }

    @Test mutating func asksARestartedLogind() throws {
        try begin()
        // The bus reports that there is none.
        #expect(try talk.take(answer(from: "org.freedesktop.DBus", isFailure: true)) == [])
        var body = BusBytes()
        for word in ["org.freedesktop.login1", "", ":1.9"] { body.append(word) }
        let change = signal("NameOwnerChanged", of: "org.freedesktop.DBus", from: "org.freedesktop.DBus", "sss", body)
        #expect(try talk.take(change).count == 1)
        #expect(try talk.take(answer(from: ":1.9", to: 5)) == [.descriptors(1, isInhibitor: true)])
        #expect(try talk.take(sleep(true, from: ":1.9")) == [.aboutToSleep])
        let forged = signal("NameOwnerChanged", of: "org.freedesktop.DBus", from: ":1.3", "sss", body)
        #expect(try talk.take(forged) == [])
    }
}

/// Sleep signals of logind, on a private bus. They need a D-Bus daemon, which Tests/run installs.
@Suite(.startsPrograms, .timeLimit(.minutes(3)))
struct SleepTests {
    private let home: TemporaryHome

    init() throws { home = try TemporaryHome() }

    @Test(arguments: [
        ("unix:path=/run/bus", "/run/bus"), ("unix:guid=1,path=/run/bus", "/run/bus"), ("unix:abstract=/tmp/x,guid=1", "@/tmp/x"),
        ("tcp:host=localhost", nil), ("unix:tmpdir=/tmp", nil), ("", nil),
    ])
    func readsAddresses(address: String, path: String?) { #expect(SleepWatch.path(of: address) == path) }

    @Test func missingBusGivesNoWatch() {
        #expect(SleepWatch(environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(home.path)/none;tcp:host=localhost"]) == nil)
    }

    @Test func streamEndsWithTheBus() async throws {
        let bus = try await MessageBus(in: home, socket: "system")
        let watch = try #require(SleepWatch(environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address]))
        await bus.end()
        for await event in watch.events { Issue.record("\(event)") }
    }

    /// A client that releases one sleep late does not release the next one with it.
    @Test func lateReleaseKeepsTheNextInhibitor() async throws {
        let bus = try await MessageBus(in: home, socket: "system")
        let machine = try await FakeLogind(on: bus)
        let watch = try #require(SleepWatch(environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address]))
        var events = watch.events.makeAsyncIterator()
        let first = try #require(await machine.inhibition())
        try machine.sendSleepSignal(sleeps: true)
        #expect(await events.next() == .aboutToSleep)
        // The machine did not wait.
        try machine.sendSleepSignal(sleeps: false)
        #expect(await events.next() == .woke)
        let second = try #require(await machine.inhibition())
        // The reply arrived before the signals that follow it.
        try machine.sendSleepSignal(sleeps: false)
        #expect(await events.next() == .woke)
        watch.allowSleep()
        await first.end()
        #expect(second.isHeld)
        try machine.sendSleepSignal(sleeps: true)
        #expect(await events.next() == .aboutToSleep)
        #expect(second.isHeld)
        watch.allowSleep()
        await second.end()
    }

    /// A logind that starts after the agent is noticed as well.
    @Test(arguments: [true, false])
    func storeIsLockedWhileTheMachineSleeps(logindIsFirst: Bool) async throws {
        let bus = try await MessageBus(in: home, socket: "system")
        var logind = logindIsFirst ? try await FakeLogind(on: bus) : nil
        try home.configure("[store]\nseal = \"key-file\"\n")
        func isLocked() async throws -> JSONValue? { try JSONValue(strict: await home.yett("agent", "status", "--json").output)["locked"] }
        let start = try await home.yett("agent", "start", with: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address])
        try #require(start.status == 0, "\(start)")
        if !logindIsFirst { logind = try await FakeLogind(on: bus) }
        let machine = try #require(logind)
        let first = try #require(await machine.inhibition())
        #expect(first.requestArguments == ["sleep", "yett", "to clear the keys from memory", "delay"])
        #expect(try await isLocked() == false)
        try machine.sendSleepSignal(sleeps: true)
        await first.end()
        #expect(try await isLocked() == true)
        // A request does not unlock the store.
        let renewal = try await home.yett("token", "work")
        #expect(renewal.errors.contains("the store is locked"))
        try machine.sendSleepSignal(sleeps: false)
        let second = try #require(await machine.inhibition())
        try await eventually("the store stays locked") { try await isLocked() == false }
        #expect(try await home.yett("agent", "stop").status == 0)
        await second.end()
    }
}
