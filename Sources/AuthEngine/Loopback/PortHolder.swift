import Glibc

/// Finds out which program listens on a port, as far as this user may know.
enum PortHolder {
    /// The program and its process, as `nginx (process 123)`; `nil` when it is another user's.
    static func name(port: Int) -> String? {
        let sockets = Set(["/proc/net/tcp", "/proc/net/tcp6"].flatMap { inodes(listeningOn: port, table: $0) })
        guard !sockets.isEmpty else { return nil }
        let links = Set(sockets.map { "socket:[\($0)]" })
        for process in FolderListing.names(in: "/proc") where process.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            for descriptor in FolderListing.names(in: "/proc/\(process)/fd")
            where links.contains(target(of: "/proc/\(process)/fd/\(descriptor)") ?? "") {
                // A program chooses its own name; only plain letters of it are passed on.
                let name = lines(of: "/proc/\(process)/comm").first?.unicodeScalars.filter { (0x21...0x7E).contains($0.value) } ?? []
                return String(String.UnicodeScalarView(name)) + " (process \(process))"
            }
        }
        return nil
    }

    /// Rows of /proc/net/tcp: `sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode …`; state 0A listens.
    private static func inodes(listeningOn port: Int, table: String) -> [Substring] {
        lines(of: table).compactMap { line in
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            guard fields.count > 9, fields[3] == "0A", let colon = fields[1].lastIndex(of: ":"),
                Int(fields[1][fields[1].index(after: colon)...], radix: 16) == port
            else { return nil }
            return fields[9]
        }
    }

    private static func lines(of path: String) -> [Substring] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &piece, piece.count)
            guard count > 0 else { break }
            bytes += piece.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }

    private static func target(of link: String) -> String? {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = bytes.withUnsafeMutableBytes { buffer in
            buffer.baseAddress.map { readlink(link, $0.assumingMemoryBound(to: CChar.self), buffer.count) } ?? -1
        }
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }
}
