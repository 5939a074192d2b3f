import FastPath
import TestSupport
import Testing

@Suite(.startsPrograms) struct ProgramLocationTests {
    /// Returns the program's path for a launcher's path, written into a buffer of the given size; nil if it is refused.
    private func path(_ place: ProgramLocation, relativeTo launcher: String, bufferSize: Int = 4_096) -> String? {
        var buffer = [CChar](repeating: 0x55, count: bufferSize)
        let isThere = launcher.withCString { start in
            buffer.withUnsafeMutableBufferPointer { buffer in
                place.write(relativeTo: UnsafeBufferPointer(start: start, count: launcher.utf8.count), into: buffer)
            }
        }
        guard isThere else { return nil }
        return buffer.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
    }

    @Test(arguments: [
        (ProgramLocation.besideLauncher, "/usr/local/bin/yett", "/usr/local/bin/yett-main"),
        (.libexec, "/usr/local/bin/yett", "/usr/local/bin/../libexec/yett/yett-main"),
        (.besideLauncher, "/yett", "/yett-main"),
        (.libexec, "/bin/yett", "/bin/../libexec/yett/yett-main"),
        (.besideLauncher, "/opt/a b/é/anything else", "/opt/a b/é/yett-main"),
    ])
    func programPathFollowsTheLaunchersFolder(place: ProgramLocation, launcher: String, expected: String) {
        #expect(path(place, relativeTo: launcher) == expected)
    }

    @Test(arguments: ["", "yett"])
    func rejectsAPathWithoutAFolder(launcher: String) {
        #expect(path(.besideLauncher, relativeTo: launcher) == nil)
    }

    @Test func rejectsABufferWithoutSpaceForTheTerminator() {
        let expected = "/bin/yett-main"
        #expect(path(.besideLauncher, relativeTo: "/bin/yett", bufferSize: expected.utf8.count + 1) == expected)
        #expect(path(.besideLauncher, relativeTo: "/bin/yett", bufferSize: expected.utf8.count) == nil)
        #expect(path(.besideLauncher, relativeTo: "/bin/yett", bufferSize: 0) == nil)
    }

    @Test func searchesBesideTheLauncherFirst() {
        #expect(ProgramLocation.allCases == [.besideLauncher, .libexec])
    }
}
