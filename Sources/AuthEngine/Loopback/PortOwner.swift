internal import AuthModel
import Glibc
import OperatingSystem

/// Finds the program that listens on a port, as far as this user may see it.
enum PortOwner {
    /// Returns the program and its process, as `nginx (process 123)`; `nil` if it belongs to another user.
    static func name(port: Int) -> UserMessage? {
        let table = SocketTable.current(localPort: port)
        let sockets = Set(table?.rows.filter { $0.state == "0A" }.map(\.inode) ?? [])
        guard !sockets.isEmpty else { return nil }
        let links = Set(sockets.map { "socket:[\($0)]" })
        for process in FolderListing.names(in: "/proc") where process.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            for descriptor in FolderListing.names(in: "/proc/\(process)/fd")
            where links.contains(target(of: "/proc/\(process)/fd/\(descriptor)") ?? "") {
                // A program chooses its own name, so keep only printable ASCII characters.
                let command = SocketTable.text(of: "/proc/\(process)/comm") ?? ""
                let name = command.unicodeScalars.filter { (0x21...0x7E).contains($0.value) }
                return UserMessage("process.name_and_number", ["name": String(String.UnicodeScalarView(name)), "process": process])
            }
        }
        return nil
    }

    private static func target(of link: String) -> String? {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = bytes.withUnsafeMutableBytes { buffer in
            buffer.baseAddress.map { readlink(link, $0.assumingMemoryBound(to: CChar.self), buffer.count) } ?? -1
        }
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }
}
