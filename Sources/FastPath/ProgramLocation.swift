internal import CLauncher

/// The possible locations of the full program, relative to the launcher.
public enum ProgramLocation: CaseIterable, Sendable {
    /// `yett-main` in the same folder, as in a build.
    case besideLauncher
    /// `../libexec/yett/yett-main`, as in an installation.
    case libexec

    private var relativePath: StaticString {
        switch self {
        case .besideLauncher: "yett-main"
        case .libexec: "../libexec/yett/yett-main"
        }
    }

    /// Writes the path of the location to a buffer, with a terminating null byte.
    ///
    /// - Parameters:
    ///   - launcher: the absolute path of the launcher, without a null byte.
    ///   - buffer: receives the path.
    /// - Returns: false if the launcher's path contains no folder or the buffer is too small.
    public func write(
        relativeTo launcher: UnsafeBufferPointer<CChar>, into buffer: UnsafeMutableBufferPointer<CChar>
    ) -> Bool {
        let slash = CChar(bitPattern: UInt8(ascii: "/"))
        var folder = launcher.count
        while folder > 0 && launcher[folder - 1] != slash { folder -= 1 }
        let rest = relativePath
        let length = folder + rest.utf8CodeUnitCount
        guard folder > 0, length < buffer.count, let target = buffer.baseAddress, let source = launcher.baseAddress else { return false }
        memcpy(target, source, folder)
        memcpy(target + folder, rest.utf8Start, rest.utf8CodeUnitCount)
        target[length] = 0
        return true
    }
}
