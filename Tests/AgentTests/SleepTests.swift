import AuthModel
import Glibc
import ProcessHarness
import TestSupport
import Testing

@testable import Agent

/// The messages on the system bus that the agent trusts.
struct LogindMessagesTests {
    private var messages = LogindMessages()

    @Test mutating func acceptsSignalsOfLogind() {
        messages.answered(by: ":1.2")
        #expect(messages.sleepSignal(true, from: ":1.2") == [.aboutToSleep])
        #expect(messages.sleepSignal(false, from: ":1.2") == [.woke, .inhibit])
    }

    @Test mutating func ignoresSignalsOfOthers() {
        // Before logind's identity is known, and from another sender.
        for sender in [":1.2", "", nil] { #expect(messages.sleepSignal(true, from: sender) == []) }
        messages.answered(by: ":1.2")
        for sender in [":1.3", "", nil, "org.freedesktop.DBus"] { #expect(messages.sleepSignal(true, from: sender) == []) }
    }

    @Test mutating func asksARestartedLogind() {
        // The bus reports that there is none.
        messages.answered(by: LogindMessages.bus)
        #expect(messages.sleepSignal(true, from: LogindMessages.bus) == [])
        #expect(messages.ownerChanged(of: LogindMessages.name, to: ":1.9", from: LogindMessages.bus) == [.inhibit])
        messages.answered(by: ":1.9")
        #expect(messages.sleepSignal(true, from: ":1.9") == [.aboutToSleep])
        #expect(messages.ownerChanged(of: LogindMessages.name, to: ":1.3", from: ":1.3") == [])
        #expect(messages.ownerChanged(of: "org.example.Other", to: ":1.3", from: LogindMessages.bus) == [])
        #expect(messages.sleepSignal(true, from: ":1.9") == [.aboutToSleep])
        #expect(messages.ownerChanged(of: LogindMessages.name, to: "", from: LogindMessages.bus) == [])
        #expect(messages.sleepSignal(true, from: ":1.9") == [])
    }
}

/// Sleep signals of logind, on a private bus. They need a D-Bus daemon, which Tests/run installs.
@Suite(.startsPrograms, .timeLimit(.minutes(15)))
struct SleepTests {
    private let home: TemporaryHome

    init() throws { home = try TemporaryHome() }

    @Test func missingBusGivesNoWatch() {
        #expect(SleepWatch(environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(home.path)/none;tcp:host=localhost"]) == nil)
    }

    @Test func streamEndsWithTheBus() async throws {
        let bus = try await MessageBus(in: home, socket: "system")
        let watch = try #require(SleepWatch(environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address]))
        await bus.end()
        for await event in watch.events { Issue.record("\(event)") }
    }

    /// Any program can send a signal to the agent.
    @Test func signalOfAnotherProgramIsIgnored() async throws {
        let bus = try await MessageBus(in: home, socket: "system")
        let machine = try FakeLogind(on: bus)
        let other = try FakeLogind(on: bus, name: "org.example.Other")
        let watch = try #require(SleepWatch(environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address]))
        var events = watch.events.makeAsyncIterator()
        let first = try #require(await machine.inhibition())
        try other.sendSleepSignal(sleeps: true, to: first.client)
        try other.sendSleepSignal(sleeps: true)
        // The bus passes on what one client sends in its order; a second signal of logind is behind those of the other program.
        try machine.sendSleepSignal(sleeps: false)
        #expect(await events.next() == .woke)
        _ = try #require(await machine.inhibition())
        try machine.sendSleepSignal(sleeps: false)
        #expect(await events.next() == .woke)
        #expect(first.isHeld)
    }

    /// logind announces the sleep also to a client to which it grants no inhibitor.
    @Test func signalsArriveWithoutAnInhibitor() async throws {
        let bus = try await MessageBus(in: home, socket: "system")
        let machine = try FakeLogind(on: bus, refuses: true)
        let watch = try #require(SleepWatch(environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address]))
        var events = watch.events.makeAsyncIterator()
        _ = try #require(await machine.inhibition())
        try machine.sendSleepSignal(sleeps: true)
        #expect(await events.next() == .aboutToSleep)
        watch.allowSleep()
        try machine.sendSleepSignal(sleeps: false)
        #expect(await events.next() == .woke)
        // It asks again for the next sleep.
        _ = try #require(await machine.inhibition())
    }

    /// A client that releases one sleep late does not release the next one with it.
    @Test func lateReleaseKeepsTheNextInhibitor() async throws {
        let bus = try await MessageBus(in: home, socket: "system")
        let machine = try FakeLogind(on: bus)
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
        var logind = logindIsFirst ? try FakeLogind(on: bus) : nil
        try home.configure("[store]\nseal = \"key-file\"\n")
        func isLocked() async throws -> JSONValue? { try JSONValue(strict: await home.yett("agent", "status", "--json").output)["locked"] }
        let start = try await home.yett("agent", "start", with: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address])
        try #require(start.status == 0, "\(start)")
        if !logindIsFirst { logind = try FakeLogind(on: bus) }
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
