internal import CLauncher
internal import CProcess

/// The `yett` command: a small static program that becomes the full program.
///
/// It starts much faster than the full program, so it answers frequent requests itself. It uses only raw buffers and C library calls,
/// because the first `String` would take longer than everything else.
public enum Launcher {
    /// Replaces this process with the full program, with the same arguments, environment and open files.
    ///
    /// The first argument is replaced with `yett`, regardless of the launcher's file name.
    ///
    /// - Returns: only on failure, after writing an error to standard error: the exit code 2.
    public static func becomeProgram() -> Int32 {
        let arguments = cprocess_arguments()
        let name: StaticString = "yett"
        // execv declares its strings as mutable for historical reasons, but does not modify them.
        arguments[0] = UnsafeMutablePointer(mutating: UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self))
        let bufferSize = Int(PATH_MAX)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: bufferSize) { launcher in
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: bufferSize) { place in
                reportError(failure(becomingProgramWith: arguments, launcher: launcher, place: place))
            }
        }
    }

    /// Ends this process.
    public static func end(with status: Int32) -> Never { exit(status) }

    /// Tries the locations in order; returns only if none contains a program that can be run.
    private static func failure(
        becomingProgramWith arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
        launcher: UnsafeMutableBufferPointer<CChar>, place: UnsafeMutableBufferPointer<CChar>
    ) -> LauncherError {
        guard let launcherStart = launcher.baseAddress, let path = place.baseAddress else { return .ownLocationUnknown }
        let count = cprocess_own_path(launcherStart, launcher.count)
        guard count > 0 else { return .ownLocationUnknown }
        var launchError = LauncherError.programMissing
        for candidate in ProgramLocation.allCases {
            guard candidate.write(relativeTo: UnsafeBufferPointer(start: launcherStart, count: count), into: place) else { continue }
            if access(path, X_OK) == 0, let library = RequiredLibrary.missing(for: path) { return .libraryMissing(library) }
            execv(path, arguments)
            // Reports an existing program that cannot be run instead of a missing one.
            if claunch_errno() != ENOENT && claunch_errno() != ENOTDIR { launchError = .programUnusable }
        }
        return launchError
    }

    private static func reportError(_ launchError: LauncherError) -> Int32 {
        let text = launchError.text
        _ = write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
        return 2
    }
}
