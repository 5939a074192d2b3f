import Foundation
import ProcessHarness
import TestSupport
import Testing

/// Replays the recorded tour into a terminal, and checks that it shows what its markers say.
@Suite(.startsPrograms, .enabled(if: Product.installed("tmux") != nil, "tmux is not installed"))
struct TourTests {
    /// The file, in asciicast v2: a header, then events of time, kind and text.
    private struct Tour {
        let columns: Int
        let rows: Int
        var events: [(time: Double, kind: String, text: String)] = []

        init() throws {
            let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Tour/tour.cast").standardized
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            let objects = try lines.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) }
            let head = try #require(objects.first as? [String: Any])
            #expect((head["version"] as? NSNumber)?.intValue == 2)
            columns = try #require((head["width"] as? NSNumber)?.intValue)
            rows = try #require((head["height"] as? NSNumber)?.intValue)
            for object in objects.dropFirst() {
                let event = try #require(object as? [Any])
                try #require(event.count == 3)
                let time = try #require((event[0] as? NSNumber)?.doubleValue)
                events.append((time, try #require(event[1] as? String), try #require(event[2] as? String)))
            }
        }
    }

    @Test func isAtMostAMinuteLongAndInOrder() throws {
        let tour = try Tour()
        #expect(zip(tour.events, tour.events.dropFirst()).allSatisfy { $0.time <= $1.time })
        #expect((30...60).contains(tour.events.last?.time ?? 0))
        #expect(tour.events.count { $0.kind == "m" } >= 20)
    }

    @Test func showsTheTextOfEveryMarker() async throws {
        let tour = try Tour()
        let home = try TemporaryHome()
        let terminal = try await TmuxTerminal(home, size: .init(tour.columns, tour.rows))
        let pipe = home.path + "/tour"
        try #require(mkfifo(pipe, 0o600) == 0)
        try await terminal.enter("clear; stty raw -echo; cat '\(pipe)'; stty sane")
        let writer = try #require(FileHandle(forWritingAtPath: pipe))
        for event in tour.events {
            if event.kind == "o" {
                try writer.write(contentsOf: Data(event.text.utf8))
            } else {
                try await terminal.wait(for: event.text)
            }
        }
        try writer.close()
    }
}
