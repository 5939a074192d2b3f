/// Something that may not stand in code.
struct Mark: Sendable, CustomStringConvertible {
    var word: String
    var reason: String
    /// Whether comments and literals are searched as well.
    var isProse = false

    var description: String { word }

    /// Where it stands in a file, one line each.
    func places(in file: SourceFile) -> [String] {
        let lines = isProse ? file.lines.map(String.init) : file.code
        return lines.enumerated().filter { $0.element.contains(word) }
            .map { "\(file.path):\($0.offset + 1): \(word), but \(reason)" }
    }
}

/// All of them.
enum Marks {
    static let inRooms: [Mark] =
        unfinished + [
            Mark(word: "try!", reason: "a failure must be handled"),
            Mark(word: "as!", reason: "a failure must be handled"),
            Mark(word: "fatalError(", reason: "a proof obligation is a precondition with a message"),
            Mark(word: "@unchecked Sendable", reason: "the compiler is to check it"),
            Mark(word: "preconditionFailure()", reason: "it must say what went wrong"),
            Mark(word: "Date()", reason: "time comes from a TimeSource"),
            Mark(word: "Thread.sleep", reason: "waiting is done on a condition"),
            Mark(word: "usleep(", reason: "waiting is done on a condition"),
            Mark(word: "/bin/sh", reason: "nothing runs through a shell", isProse: true),
        ]

    static let inTests: [Mark] =
        unfinished + [
            Mark(word: "try!", reason: "the test should fail and go on"),
            Mark(word: "Task.sleep", reason: "a test waits for a condition"),
            Mark(word: "Thread.sleep", reason: "a test waits for a condition"),
            Mark(word: "usleep(", reason: "a test waits for a condition"),
            Mark(word: ".disabled(", reason: "a test that does not run says nothing"),
        ]

    private static let unfinished: [Mark] = ["TODO", "FIXME"].map {
        Mark(word: $0, reason: "what is unfinished does not land", isProse: true)
    }
}
