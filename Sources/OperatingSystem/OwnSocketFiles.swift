import Glibc

/// The files of Unix sockets that belong to this user: each leads to a program that may do something for this user, such as an agent of SSH
/// keys, or the connection that ssh(1) keeps to another machine.
package enum OwnSocketFiles {
    /// The number of fields before the path in a line of the table.
    private static let fields = 7

    /// Returns the paths of all that a program has bound now. For a folder of this user that has nothing else, returns the folder: the next
    /// socket is made there.
    package static func paths() throws(SystemError) -> [String] {
        var paths = bound(in: try RegularFile.readTable("/proc/self/net/unix"))
        for process in processesOfOtherNetworks() {
            // It may have ended.
            if let table = try? RegularFile.readTable("/proc/\(process)/net/unix") { paths.formUnion(bound(in: table)) }
        }
        return covering(paths)
    }

    /// Returns a process of this user in each other network namespace: a table has the sockets of one namespace only (proc_net(5)), but the
    /// files of sockets are found in all, such as that of a container engine without root.
    private static func processesOfOtherNetworks() -> [String] {
        func network(_ process: String) -> String? {
            var name = [UInt8](repeating: 0, count: 64)
            let count = name.withUnsafeMutableBytes { buffer in
                let link = "/proc/\(process)/ns/net"
                return buffer.baseAddress.map { readlink(link, $0.assumingMemoryBound(to: CChar.self), buffer.count) } ?? -1
            }
            return count > 0 ? String(decoding: name[..<count], as: UTF8.self) : nil
        }
        var known = Set([network("self")])
        return FolderListing.names(in: "/proc").filter { process in
            guard process.allSatisfy(\.isNumber), isOwn("/proc/\(process)", S_IFDIR), let network = network(process) else { return false }
            return known.insert(network).inserted
        }
    }

    /// Returns the absolute paths in a table, in the kernel's form: the path is the rest of a line, and may have spaces.
    static func bound(in table: [UInt8]) -> Set<String> {
        var paths: Set<String> = []
        for line in table.split(separator: UInt8(ascii: "\n")) {
            let parts = line.split(separator: UInt8(ascii: " "), maxSplits: fields)
            guard parts.count > fields, parts[fields].first == UInt8(ascii: "/") else { continue }
            paths.insert(String(decoding: parts[fields], as: UTF8.self))
        }
        return paths
    }

    /// Returns those of the paths that are sockets of this user, or their folders in their place.
    static func covering(_ paths: Set<String>) -> [String] {
        let found = paths.filter { isOwn($0, S_IFSOCK) }.map { path in
            let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
            return hasOnlySockets(folder) ? folder : path
        }
        return Set(found).sorted()
    }

    private static func hasOnlySockets(_ folder: String) -> Bool {
        guard isOwn(folder, S_IFDIR) else { return false }
        let names = FolderListing.names(in: folder)
        return !names.isEmpty && names.allSatisfy { isOwn("\(folder)/\($0)", S_IFSOCK) }
    }

    private static func isOwn(_ path: String, _ kind: mode_t) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == kind && status.st_uid == geteuid()
    }
}
