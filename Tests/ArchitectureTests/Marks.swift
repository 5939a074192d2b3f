/// A text that code may not contain.
struct Mark: Sendable, CustomStringConvertible {
    var word: String
    var reason: String
    /// Whether comments and string literals are searched too.
    var isProse = false
    /// Files that may contain it.
    var exceptions: Set<String> = []

    var description: String { word }

    /// Returns one line for each occurrence in a file.
    func places(in file: SourceFile) -> [String] {
        guard !exceptions.contains(file.path) else { return [] }
        let text = isProse ? file.text : file.code
        guard text.holds(word) else { return [] }
        return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().filter { $0.element.contains(word) }
            .map { "\(file.path):\($0.offset + 1): \(word), but \(reason)" }
    }
}

/// The lists of marks.
enum Marks {
    static let inSources: [Mark] =
        unfinished + [
            Mark(word: "try!", reason: "a failure must be handled"),
            Mark(word: "as!", reason: "a failure must be handled"),
            Mark(word: "fatalError(", reason: "a proof obligation is a precondition with a message"),
            Mark(word: "@unchecked Sendable", reason: "the compiler is to check it"),
            Mark(word: "preconditionFailure()", reason: "it must say what went wrong"),
            Mark(word: "Date()", reason: "time comes from a TimeSource"),
            // The plugin runs while the project is built, on its own files.
            Mark(
                word: "/bin/sh", reason: "nothing runs through a shell", isProse: true,
                exceptions: ["Sources/EmbedFiles/EmbedFiles.swift"]),
        ]
        + sleeps("waiting is done on a condition, or by a TimeSource", except: timeSources)

    static let inTests: [Mark] =
        unfinished + [
            Mark(word: "try!", reason: "the test should fail and go on"),
            Mark(word: ".disabled(", reason: "a test that does not run says nothing"),
        ]
        + sleeps("a test waits for a condition", except: ["Tests/Support/ProcessHarness/Eventually.swift"])

    /// The files that read the machine's clocks; others use a ``TimeSource``.
    private static let timeSources: Set = ["Sources/AuthEngine/System/SystemTimeSource.swift", "Sources/Sandbox/SandboxClock.swift"]

    private static func sleeps(_ reason: String, except exceptions: Set<String>) -> [Mark] {
        ["Task.sleep", "Clock().sleep", ".sleep(for:", "Thread.sleep", "usleep(", "nanosleep("].map {
            Mark(word: $0, reason: reason, exceptions: exceptions)
        }
    }

    private static let unfinished: [Mark] = ["TODO", "FIXME"].map {
        Mark(word: $0, reason: "what is unfinished does not land", isProse: true)
    }
}
