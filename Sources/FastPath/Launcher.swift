import Glibc

/// What people type as `yett`: a small static program that becomes the real one.
///
/// It costs a fraction of the real program's start, so that what can be answered without it is answered here. Everything in it works
/// on raw buffers with calls of the C library: the first `String` would cost more than all the rest.
public enum Launcher {
    /// Replaces this process by the program, with the same arguments, environment and open files.
    ///
    /// - Parameters:
    ///   - arguments: the process's own, null-terminated. The first is replaced by `yett`, whatever name the launcher was called by.
    /// - Returns: only where that fails, after saying so on standard error: the exit status to end with, 2.
    public static func becomeProgram(_ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32 {
        let name: StaticString = "yett"
        // execv declares its strings mutable for reasons of history, and does not write to them.
        arguments[0] = UnsafeMutablePointer(mutating: UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self))
        let room = Int(PATH_MAX)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: room) { launcher in
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: room) { place in
                complain(failure(becomingProgramWith: arguments, launcher: launcher, place: place))
            }
        }
    }

    /// Tries the places in order; returns only where none of them holds the program.
    private static func failure(
        becomingProgramWith arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
        launcher: UnsafeMutableBufferPointer<CChar>, place: UnsafeMutableBufferPointer<CChar>
    ) -> LauncherError {
        guard let launcherStart = launcher.baseAddress, let path = place.baseAddress else { return .ownPlaceUnknown }
        let count = readlink("/proc/self/exe", launcherStart, launcher.count)
        // A path that fills the buffer may have been cut.
        guard count > 0, count < launcher.count else { return .ownPlaceUnknown }
        var complaint = LauncherError.programMissing
        for candidate in ProgramLocation.allCases {
            guard candidate.write(seenFrom: UnsafeBufferPointer(start: launcherStart, count: count), into: place) else { continue }
            execv(path, arguments)
            // One that is there and cannot be run is the one to speak of.
            if errno != ENOENT && errno != ENOTDIR { complaint = .programUnusable }
        }
        return complaint
    }

    private static func complain(_ complaint: LauncherError) -> Int32 {
        let text = complaint.text
        _ = write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
        return 2
    }
}
