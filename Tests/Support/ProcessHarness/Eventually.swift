/// Polls until a condition outside of this process holds, for at most five minutes. For conditions that send no notification.
///
/// To wait for a program's output or end, use ``RunningProgram/until(_:)`` instead.
///
/// - Throws: what `condition` throws, and an error with the text `complaint` if the condition never held.
public func eventually(_ complaint: @autoclosure () throws -> String, _ condition: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(300)
    var pause = Duration.milliseconds(1)
    while try await !condition() {
        guard ContinuousClock.now < deadline else { throw HarnessError(try complaint()) }
        // Short at first for a fast result, then longer, to put little load on the machine.
        try await ContinuousClock().sleep(for: pause)
        pause = min(pause * 2, .milliseconds(50))
    }
}
