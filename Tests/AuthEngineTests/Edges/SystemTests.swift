import AuthModel
import Glibc
import OperatingSystem
import Testing

@testable import AuthEngine

@Suite struct SystemTests {
    @Test func clocksAdvance() {
        let time = SystemTimeSource()
        let boot = time.bootTime
        #expect(time.bootTime >= boot)
        #expect(boot > .zero)
        let before = Int64(Glibc.time(nil))
        #expect(time.now.seconds >= before - 1)
    }

    @Test func sleepsAtLeastUntilTheDeadline() async throws {
        let time = SystemTimeSource()
        let deadline = time.bootTime + .milliseconds(20)
        try await time.sleep(until: deadline)
        #expect(time.bootTime >= deadline)
        try await time.sleep(until: deadline)
    }

    @Test func sleepsOnTheBootTimeClock() async throws {
        let time = SystemTimeSource()
        let task = Task { try await time.sleep(until: time.bootTime + .seconds(3600)) }
        // A kernel timer on clock 7, CLOCK_BOOTTIME, appears.
        while !Self.hasTimer(onClock: CLOCK_BOOTTIME) { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func cancelledTaskDoesNotSleep() async {
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            try await SystemTimeSource().sleep(until: .zero)
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    private static func hasTimer(onClock clock: Int32) -> Bool {
        FolderListing.names(in: "/proc/self/fdinfo").contains { name in
            guard let stream = fopen("/proc/self/fdinfo/\(name)", "r") else { return false }
            defer { fclose(stream) }
            var line = [CChar](repeating: 0, count: 256)
            while fgets(&line, 256, stream) != nil {
                let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
                if text == "clockid: \(clock)\n" { return true }
            }
            return false
        }
    }

    @Test(arguments: [
        ([:], false, false, false), (["SSH_CONNECTION": "a"], true, false, false), (["SSH_TTY": "/dev/pts/1"], true, false, false),
        (["DISPLAY": ":0"], false, true, false), (["WAYLAND_DISPLAY": "wayland-0"], false, true, false),
        (["DISPLAY": "", "SSH_CONNECTION": ""], false, false, false), (["WSL_INTEROP": "/run/x"], false, false, true),
    ])
    func detectsTheEnvironment(_ environment: [String: String], _ isRemote: Bool, _ hasDisplay: Bool, _ isWSL: Bool) {
        #expect(
            Surroundings(environment: environment)
                == Surroundings(isRemote: isRemote, hasDisplay: hasDisplay, isWSL: isWSL))
    }

    @Test func drawsAQRCode() throws {
        let code = try #require(QRCode("https://id.example.org/device?user_code=WDJB-MJHT"))
        let side = code.modules.count
        // ISO 18004: a square of 17 + 4 × version, with a finder pattern in three corners.
        #expect(side >= 21 && (side - 17) % 4 == 0)
        #expect(code.modules.allSatisfy { $0.count == side })
        let finder = ["#######", "#.....#", "#.###.#", "#.###.#", "#.###.#", "#.....#", "#######"]
        for (row, column) in [(0, 0), (0, side - 7), (side - 7, 0)] {
            let corner = (0..<7).map { y in String((0..<7).map { x in code.modules[row + y][column + x] ? "#" : "." as Character }) }
            #expect(corner == finder)
        }
    }

    @Test func showsAQRCodeInHalfBlocks() throws {
        let code = try #require(QRCode("a"))
        let lines = code.lines()
        #expect(lines.count == 15 && lines.allSatisfy { $0.count == 29 })
        for index in [0, 1, 13, 14] { #expect(lines[index] == String(repeating: "█", count: 29), "the light zone of four modules") }
        #expect(lines[2].hasPrefix("████ ▄▄▄▄▄ █"))
    }

    @Test func refusesTextThatFitsNoQRCode() {
        #expect(QRCode(String(repeating: "x", count: 3000)) == nil)
        #expect(QRCode("a\0b") == nil)
    }
}
