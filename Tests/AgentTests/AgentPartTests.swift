@testable import Agent
import AuthEngine
import AuthModel
import Glibc
import ProcessHarness
import TestSupport
import Testing

@Suite(.startsPrograms) struct IssuedTokenCacheTests {
    private let request = TokenRequest(session: Sample.name)
    private let now = Timestamp(milliseconds: 1_799_999_000_000)

    private func filled() -> IssuedTokenCache {
        let cache = IssuedTokenCache()
        cache.update([Sample.session])
        cache.insert(Sample.grant, for: request, generation: cache.generation, bootTime: .zero)
        return cache
    }

    @Test func returnsTheCachedToken() {
        #expect(filled().token(for: request, now: now, bootTime: .zero)?.issued == Sample.grant)
    }

    @Test func neverReturnsTheTokenOfAnotherRequest() {
        let cache = filled()
        #expect(cache.token(for: TokenRequest(session: Sample.named("work/bob")), now: now, bootTime: .zero) == nil)
        #expect(cache.token(for: TokenRequest(session: Sample.named("work")), now: now, bootTime: .zero) == nil)
        #expect(cache.token(for: TokenRequest(session: Sample.name, wanted: .id), now: now, bootTime: .zero) == nil)
        for restrictions in [TokenRestrictions(scopes: ["read"]), TokenRestrictions(audience: "https://api.example.org/")] {
            #expect(cache.token(for: TokenRequest(session: Sample.name, restrictions: restrictions), now: now, bootTime: .zero) == nil)
        }
    }

    @Test func respectsTheMinimumValidity() {
        let end = Timestamp(milliseconds: 1_800_000_000_123)
        #expect(filled().token(for: request, now: end - .seconds(60), bootTime: .zero) != nil)
        #expect(filled().token(for: request, now: end - .milliseconds(59_999), bootTime: .zero) == nil)
    }

    @Test func entriesExpire() {
        #expect(filled().token(for: request, now: now, bootTime: IssuedTokenCache.lifetime) == nil)
    }

    @Test func sessionChangeClearsTheCache() {
        var renewed = Sample.session
        renewed.receivedAt = renewed.receivedAt + .seconds(1)
        var dead = Sample.session
        dead.recordedState = .needsSignIn
        for sessions in [[renewed], [dead], [], [Sample.session, Sample.bare]] {
            let cache = filled()
            cache.update(sessions)
            #expect(cache.token(for: request, now: now, bootTime: .zero) == nil)
        }
    }

    @Test func useKeepsTheCache() {
        var used = Sample.session
        used.lastUsedAt = now
        let cache = filled()
        cache.update([used])
        #expect(cache.token(for: request, now: now, bootTime: .zero) != nil)
    }

    @Test func ignoresTokensReadBeforeAChange() {
        let cache = IssuedTokenCache()
        let generation = cache.generation
        cache.update([Sample.session])
        cache.insert(Sample.grant, for: request, generation: generation, bootTime: .zero)
        #expect(cache.token(for: request, now: now, bootTime: .zero) == nil)
    }
}

@Suite(.startsPrograms) struct RarelyRepeatedTests {
    @Test func worksAtMostOnceInAnInterval() {
        let (time, count) = (ManualTime(), Counter())
        let work = Throttled(every: .seconds(60), by: time) { count.add() }
        for _ in 0..<3 { work() }
        #expect(count.value == 1)
        time.advance(by: .seconds(59))
        work()
        #expect(count.value == 1)
        time.advance(by: .seconds(1))
        for _ in 0..<2 { work() }
        #expect(count.value == 2)
    }
}

@Suite(.startsPrograms) struct ActivityLogTests {
    private let home: TemporaryHome
    private let log: ActivityLog

    init() throws {
        home = try TemporaryHome()
        log = ActivityLog(folder: home.path)
    }

    private func record(_ number: Int, text: String = "renewed") -> ActivityRecord {
        ActivityRecord(
            Activity(at: Timestamp(milliseconds: Int64(number) * 1000), kind: .renewed, session: Sample.name, message: .verbatim(text)),
            process: 7,
            user: 1000, program: "/usr/bin/git\u{1B}[31m")
    }

    @Test func readsTheNewestFirst() throws {
        for number in 1...5 { log.append(record(number)) }
        #expect(try log.recent(2) == [record(5), record(4)])
        #expect(try log.recent() == (1...5).reversed().map { record($0) })
    }

    @Test func fileIsPrivate() throws {
        FileModeMask.with(0) { log.append(record(1)) }
        var found = stat()
        #expect(stat(home.path + "/activity.jsonl", &found) == 0)
        #expect(found.st_mode & 0o777 == 0o600)
    }

    /// A character may be of any size, so limits count bytes.
    @Test func lineIsBoundedInBytes() throws {
        let giant = "e" + String(repeating: "\u{301}", count: 100_000)
        #expect(giant.count == 1)
        for text in [giant, String(repeating: "\u{7}", count: 100_000)] {
            log.append(record(1, text: text))
            let caller = Caller(process: 7, user: 0)
            var request = TokenRequest(session: Sample.name, caller: .verbatim(text))
            request.destination = text
            IssuedTokenLog(log: log).record(Sample.name, for: request, to: caller, program: text, at: Timestamp(milliseconds: 2))
        }
        let lines = try #require(home.read("activity.jsonl")).split(separator: UInt8(ascii: "\n"))
        #expect(lines.count == 4 && lines.allSatisfy { $0.count <= ActivityLog.lineLimit })
        #expect(try log.recent().count == 4)
    }

    @Test func sizeIsLimited() throws {
        let long = String(repeating: "x", count: 1000)
        for number in 1...1500 { log.append(record(number, text: long)) }
        #expect(try #require(home.read("activity.jsonl")).count < ActivityLog.sizeLimit + 20_000)
        let numbers = try log.recent().map { $0.activity.at.seconds }
        #expect(numbers.first == 1500)
        #expect(numbers == numbers.sorted(by: >))
        #expect(numbers.count > 400)
    }

    private func use(_ number: Int, _ program: String, _ process: Int32) -> ActivityRecord {
        ActivityRecord(
            Activity(
                at: Timestamp(milliseconds: Int64(number) * 1000), kind: .issued, session: Sample.name,
                message: .verbatim("\",\"user\":0,\"kind\":\"renewed\" \(number)" + String(repeating: "x", count: 900))), process: process,
            user: 0,
            program: program)
    }

    /// Uses of tokens never displace other entries, and one caller does not displace the uses of others.
    @Test func usesDisplaceNeitherOtherEntriesNorOtherCallers() throws {
        var log: [UInt8] = []
        for number in 1...5 {
            log += record(number).line + use(number, "/usr/bin/git", Int32(number)).line + use(number, "/usr/bin/ssh", 8).line
        }
        for number in 6...2000 { log += use(number, "/usr/bin/ssh", 7).line }
        let giant = Array("{\"at\":\"x\",\"kind\":\"handed_out\",\"text\":\"".utf8) + [UInt8](repeating: 0x78, count: 2 << 20)
        let cut = ActivityLogCut((log + giant + Array("\"}\n".utf8))[...]).rest
        #expect(cut.count < 256 << 10)
        let rest = try cut.split(separator: UInt8(ascii: "\n")).map { try ActivityRecord(wire: JSONValue(strict: $0)) }
        #expect(rest.filter { $0.activity.kind == .renewed } == (1...5).map { record($0) })
        #expect(rest.filter { $0.program == "/usr/bin/git" }.count == 5)
        #expect(rest.filter { $0.process == 8 }.count == 5)
        #expect(rest.last == use(2000, "/usr/bin/ssh", 7))
    }

    @Test func refusalInTheLogOfAnEarlierVersionIsRead() throws {
        var refusal = use(1, "/usr/bin/git", 7)
        refusal.activity.kind = .tokenRefused
        let line = String(decoding: refusal.line, as: UTF8.self)
        let earlier = line.replacing("\"token_refused\"", with: "\"hand_out_refused\"")
        #expect(earlier != line)
        #expect(try ActivityRecord(wire: JSONValue(strict: Array(earlier.utf8)[...])) == refusal)
    }

    /// A caller with many entries of another type does not displace those of others either.
    @Test func refusalsOfOneCallerDisplaceNoOthers() throws {
        func refusal(_ number: Int, _ program: String) -> ActivityRecord {
            var refusal = use(number, program, 7)
            refusal.activity.kind = .tokenRefused
            return refusal
        }
        var log = refusal(1, "/usr/bin/git").line + record(1).line
        for number in 2...1000 { log += refusal(number, "/usr/bin/ssh").line }
        let cut = ActivityLogCut(log[...]).rest
        #expect(cut.count <= ActivityLogCut.otherLimits.room)
        let keepsOthers = cut.starts(with: refusal(1, "/usr/bin/git").line + record(1).line)
        #expect(keepsOthers)
    }

    /// Repetitions are counted in one line, and a caller that names ever new destinations gets few lines.
    @Test func repeatedUsesAreOneLineAndNewOnesAreLimited() throws {
        let uses = IssuedTokenLog(log: log)
        let begin = Timestamp(milliseconds: 1_800_000_000_000)
        func use(_ destination: String, at seconds: Int64, program: String = "/usr/bin/ssh", process: Int32 = 7) {
            var request = TokenRequest(session: Sample.name, caller: UserMessage("phrase.host_through_ssh", ["host": "far"]))
            request.destination = destination
            uses.record(
                Sample.name, for: request, to: Caller(process: process, user: 0), program: program, at: begin + .seconds(seconds))
        }
        for second in 0..<50 {
            use("one", at: Int64(second))
            use("two", at: Int64(second))
        }
        #expect(try log.recent().map(\.activity.count) == [50, 50])
        #expect(try log.recent().map(\.activity.at) == [begin + .seconds(49), begin + .seconds(49)])
        use("one", at: 61)
        #expect(try log.recent().map(\.activity.count) == [1, 50, 50])
        for number in 0..<5000 { use("place \(number)", at: 62) }
        let records = try log.recent()
        #expect(records.count <= IssuedTokenLog.newLines + 3)
        #expect(records.reduce(0) { $0 + $1.activity.count } == 5101, "every use is counted")
        // Another caller still gets its lines.
        use("place", at: 62, process: 8)
        use("place", at: 62, program: "/usr/bin/git", process: 9)
        #expect(try log.recent().count == records.count + 2)
    }

    /// A line that another process has cut away is not overwritten at its old place.
    @Test func countedLineIsReplacedOnlyAtItsPlace() throws {
        let uses = IssuedTokenLog(log: log)
        let request = TokenRequest(session: Sample.name, caller: .verbatim("/usr/bin/git"))
        let caller = Caller(process: 7, user: 0)
        uses.record(Sample.name, for: request, to: caller, program: "/usr/bin/git", at: Timestamp(milliseconds: 1_800_000_000_000))
        let first = try #require(home.read("activity.jsonl"))
        try home.write(String(decoding: record(1).line, as: UTF8.self) + String(decoding: first, as: UTF8.self), to: "activity.jsonl")
        uses.record(Sample.name, for: request, to: caller, program: "/usr/bin/git", at: Timestamp(milliseconds: 1_800_000_001_000))
        let records = try log.recent()
        #expect(records.map(\.activity.count) == [1, 1, 1] && records.last == record(1))
    }

    @Test func doesNotWaitForALockedFile() throws {
        log.append(record(1))
        let other = open(home.path + "/activity.jsonl", O_RDWR | O_CLOEXEC)
        defer { close(other) }
        try #require(flock(other, LOCK_EX | LOCK_NB) == 0)
        log.append(record(2))
        #expect(try log.recent() == [record(2), record(1)])
    }

    @Test func writesNoControlCharacters() throws {
        log.append(record(1, text: "a\nb\u{202E}\u{7}"))
        let bytes = try #require(home.read("activity.jsonl"))
        #expect(bytes.dropLast().allSatisfy { (0x20...0x7E).contains($0) })
    }

    @Test func skipsUnreadableRecords() throws {
        log.append(record(1))
        try home.write(String(decoding: home.read("activity.jsonl") ?? [], as: UTF8.self) + "{\"at\":\n\u{0}\n", to: "activity.jsonl")
        log.append(record(2))
        #expect(try log.recent() == [record(2), record(1)])
    }

    @Test func doesNotFollowALink() throws {
        try home.write("precious", to: "elsewhere")
        symlink(home.path + "/elsewhere", home.path + "/activity.jsonl")
        log.append(record(1))
        #expect(home.read("elsewhere") == Array("precious".utf8))
        #expect(throws: AuthFailure.self) { try log.recent() }
    }

    @Test func concurrentWritersLoseNothing() async throws {
        await withTaskGroup { group in
            for number in 1...200 { group.addTask { log.append(record(number)) } }
        }
        #expect(try Set(log.recent().map(\.activity.at.seconds)) == Set(1...200))
    }
}

@Suite(.startsPrograms) struct NotificationRunnerTests {
    private let home: TemporaryHome
    private let grant = EndedSession(session: Sample.name, reason: .verbatim("'; touch $HOME/owned; `id` \u{1B}]0;x\u{7} <b>&"))

    init() throws { home = try TemporaryHome() }

    @Test func hookReceivesDataOnlyInItsEnvironment() async throws {
        let script = try home.write(
            "#!/bin/sh\nprintf '%s|%s|%s|%s|%s|%s' \"$#\" \"$YETT_EVENT\" \"$YETT_SESSION\" \"$YETT_PROVIDER\" \"$YETT_ACCOUNT\" \"$YETT_MESSAGE\" > \"$HOME/said\"\n",
            to: "hook", permissions: 0o700)
        let announcer = NotificationRunner(hook: [script], environment: home.environment, time: ManualTime())
        await announcer.announce(grant)
        await announcer.waitUntilIdle()
        let said = String(decoding: try #require(home.read("said")), as: UTF8.self)
        #expect(said == "0|sign_in_needed|work/Ada Lovelace|work|Ada Lovelace|'; touch $HOME/owned; `id` ]0;x <b>&")
        #expect(home.read("owned") == nil)
    }

    @Test func hookReceivesNoServiceVariables() async throws {
        let script = try home.write("#!/bin/sh\nenv > \"$HOME/said\"\n", to: "hook", permissions: 0o700)
        let serviceVariables = ["NOTIFY_SOCKET": "/n", "LISTEN_FDS": "1", "LISTEN_PID": "1", "WATCHDOG_USEC": "1", "YETT_READY_FD": "3"]
        let announcer = NotificationRunner(
            hook: [script], environment: home.environment.merging(serviceVariables) { $1 }, time: ManualTime())
        await announcer.announce(grant)
        await announcer.waitUntilIdle()
        let said = String(decoding: try #require(home.read("said")), as: UTF8.self)
        #expect(said.contains("YETT_EVENT=sign_in_needed\n"))
        for name in serviceVariables.keys { #expect(!said.contains(name)) }
    }

    /// Installs a fake `notify-send`, which records its arguments and the event's variables; returns an environment that finds it.
    static func notifier(in home: TemporaryHome) throws -> [String: String] {
        try home.write(
            "#!/bin/sh\n{ printf '%s\\0' \"$@\"; printf '%s' \"$YETT_EVENT $YETT_SESSION\"; } >\"$HOME/new\" && mv \"$HOME/new\" \"$HOME/shown\"\n",
            to: "bin/notify-send", permissions: 0o700)
        return home.environment.merging(["PATH": "\(home.path)/bin:/usr/bin:/bin"]) { $1 }
    }

    @Test func notificationUsesNoShell() async throws {
        let announcer = NotificationRunner(notifies: true, environment: try Self.notifier(in: home), time: ManualTime())
        await announcer.announce(grant)
        await announcer.waitUntilIdle()
        let shown = String(decoding: try #require(home.read("shown")), as: UTF8.self)
        #expect(
            shown.split(separator: "\0", omittingEmptySubsequences: false) == [
                "--app-name=yett", "--", "work/Ada Lovelace needs a sign-in",
                "'; touch $HOME/owned; `id` ]0;x &lt;b&gt;&amp;. Sign in again with: yett login work", "sign_in_needed work/Ada Lovelace",
            ])
        #expect(home.read("owned") == nil)
    }

    @Test func notificationsAreOffByDefault() async throws {
        let announcer = NotificationRunner(environment: try Self.notifier(in: home), time: ManualTime())
        await announcer.announce(grant)
        await announcer.waitUntilIdle()
        #expect(home.read("shown") == nil)
    }

    @Test func commandsRunOneAtATime() async throws {
        let script = try home.write(
            "#!/bin/sh\nmkdir \"$HOME/busy\" || echo overlap >> \"$HOME/said\"\necho ran >> \"$HOME/said\"\nrmdir \"$HOME/busy\"\n",
            to: "hook",
            permissions: 0o700)
        let announcer = NotificationRunner(hook: [script], environment: home.environment, time: ManualTime())
        for _ in 0..<5 { await announcer.announce(grant) }
        await announcer.waitUntilIdle()
        #expect(home.read("said") == Array(String(repeating: "ran\n", count: 5).utf8))
    }

    @Test func stopsACommandThatDoesNotEnd() async throws {
        let script = try home.write("#!/bin/sh\nsleep 1000 &\nwait\n", to: "hook", permissions: 0o700)
        let command = BoundedCommand([script], environment: home.environment)
        #expect(await command.run(limit: .milliseconds(100), time: SystemTimeSource()) == 128 + SIGKILL)
    }

    @Test func endedSessionIsReportedOnce() {
        var dead = Sample.session
        dead.recordedState = .needsSignIn
        dead.warnings = [.verbatim("the provider had already rotated it")]
        #expect(
            EndedSession.between([Sample.name: .signedIn], [dead]) == [
                EndedSession(session: Sample.name, reason: .verbatim("the provider had already rotated it"))
            ])
        #expect(EndedSession.between([Sample.name: .needsSignIn], [dead]) == [])
        #expect(EndedSession.between([:], [dead]) == [])
        #expect(EndedSession.between([Sample.name: .signedIn], [Sample.session]) == [])
    }

    @Test func escapesMarkupInANotification() {
        #expect(grant.notification.last?.contains("&lt;b&gt;&amp;") == true)
        #expect(grant.notification.allSatisfy { $0.unicodeScalars.allSatisfy { $0.value >= 0x20 } })
    }

    /// The kernel hides the program's path of a yett whose memory is closed, but not its name.
    @Test(arguments: ["/usr/bin/yett", "yett-main"])
    func callerThatIsYettIsRecordedAsTheProgramThatStartedIt(program: String) {
        let message = Caller(process: getpid(), user: geteuid()).message(program)
        #expect(message.programPath == RunningProcess(number: getppid()).executable, "\(message.description)")
    }
}
