import Glibc

/// The files of Unix sockets that belong to this user: each leads to a program that may do something for this user, such as an agent of SSH
/// keys, or the connection that ssh(1) keeps to another machine.
package enum OwnSocketFiles {
    /// The number of fields before the path in a line of the table.
    private static let fields = 7

    /// Returns the paths of all that programs have bound now. For a folder of this user that has nothing else, returns the folder: the next
    /// socket is made there.
    package static func paths() throws(SystemError) -> [String] {
        var paths = bound(in: try RegularFile.readTable("/proc/self/net/unix"))
        let processes = FolderListing.names(in: "/proc").filter { $0.allSatisfy(\.isNumber) && isOwn("/proc/\($0)", S_IFDIR) }
        // A table has the sockets of one network namespace only (proc_net(5)), but their files are found in all, such as that of a container
        // engine without root.
        var networks = Set([SymbolicLink.target(of: "/proc/self/ns/net")])
        for process in processes where networks.insert(SymbolicLink.target(of: "/proc/\(process)/ns/net")).inserted {
            // It may have ended.
            if let table = try? RegularFile.readTable("/proc/\(process)/net/unix") { paths.formUnion(bound(in: table)) }
        }
        return covering(paths, in: Set(processes.compactMap { SymbolicLink.target(of: "/proc/\($0)/cwd") }))
    }

    /// Returns the paths in a table, in the kernel's form: the path is the rest of a line, and may have spaces. Abstract ones, which begin
    /// with `@`, are left out: they have no file.
    static func bound(in table: [UInt8]) -> Set<String> {
        var paths: Set<String> = []
        for line in table.split(separator: UInt8(ascii: "\n")).dropFirst() {
            let parts = line.split(separator: UInt8(ascii: " "), maxSplits: fields)
            guard parts.count > fields, let first = parts[fields].first, first != UInt8(ascii: "@") else { continue }
            paths.insert(String(decoding: parts[fields], as: UTF8.self))
        }
        return paths
    }

    /// Returns this user's sockets in the folders of these paths, or a folder in their place. The table has the paths as they were bound:
    /// ssh(1) binds a name with random letters, and moves the socket to its own.
    ///
    /// - Parameter folders: the working directories of processes, in which a path may have been bound that is not absolute.
    static func covering(_ paths: Set<String>, in folders: Set<String> = []) -> [String] {
        var parents: Set<String> = []
        for path in paths {
            let parent = path.lastIndex(of: "/").map { path[...$0] } ?? ""
            if path.hasPrefix("/") { parents.insert(String(parent)) } else { parents.formUnion(folders.map { "\($0)/\(parent)" }) }
        }
        let found = parents.flatMap { parent in
            let names = FolderListing.names(in: parent)
            let sockets = names.filter { isOwn(parent + $0, S_IFSOCK) }
            return !sockets.isEmpty && sockets.count == names.count && isOwn(parent, S_IFDIR)
                ? [String(parent.dropLast())] : sockets.map { parent + $0 }
        }
        return Set(found).sorted()
    }

    private static func isOwn(_ path: String, _ kind: mode_t) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == kind && status.st_uid == geteuid()
    }
}
