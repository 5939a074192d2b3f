import Glibc

/// Where the program may lie, seen from where the launcher lies.
public enum ProgramLocation: CaseIterable, Sendable {
    /// `yett-main` in the same folder, as a build leaves it.
    case besideLauncher
    /// `../libexec/yett/yett-main`, as an installation does.
    case libexec

    private var fromLaunchersFolder: StaticString {
        switch self {
        case .besideLauncher: "yett-main"
        case .libexec: "../libexec/yett/yett-main"
        }
    }

    /// Writes the place's path into a buffer, terminated by a null byte.
    ///
    /// - Parameters:
    ///   - launcher: the launcher's own absolute path, without a null byte.
    ///   - buffer: where the path goes.
    /// - Returns: whether it is there: false where the launcher's path names no folder, or the buffer is too small.
    public func write(
        seenFrom launcher: UnsafeBufferPointer<CChar>, into buffer: UnsafeMutableBufferPointer<CChar>
    ) -> Bool {
        let slash = CChar(bitPattern: UInt8(ascii: "/"))
        var folder = launcher.count
        while folder > 0 && launcher[folder - 1] != slash { folder -= 1 }
        let rest = fromLaunchersFolder
        let length = folder + rest.utf8CodeUnitCount
        guard folder > 0, length < buffer.count, let target = buffer.baseAddress, let source = launcher.baseAddress else { return false }
        memcpy(target, source, folder)
        memcpy(target + folder, rest.utf8Start, rest.utf8CodeUnitCount)
        target[length] = 0
        return true
    }
}
