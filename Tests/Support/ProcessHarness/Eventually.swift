/// Waits until something outside of this process holds, of which nothing tells: it can only be asked again and again; half a minute at
/// most.
///
/// What tells of itself, as a program by its output or its end, is waited for instead: ``RunningProgram/until(_:)``.
///
/// - Throws: what `condition` throws, and an error that says `complaint` where the condition never held.
public func eventually(_ complaint: @autoclosure () throws -> String, _ condition: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(30)
    var pause = Duration.milliseconds(1)
    while try await !condition() {
        guard ContinuousClock.now < deadline else { throw HarnessError(try complaint()) }
        // Quick for what is nearly there, and no load on the machine that it may be waiting for.
        try await ContinuousClock().sleep(for: pause)
        pause = min(pause * 2, .milliseconds(50))
    }
}
