import Glibc

/// Reads files of the source tree, for tests that check the documentation.
enum Catalogue {
    private static let root = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()

    /// Returns a page of the library's DocC catalogue.
    static func text(_ page: String) throws -> String { try read("Sources/OAuth/OAuth.docc/\(page)") }

    /// Returns a file by its path from the root of the tree.
    static func read(_ path: String) throws -> String {
        let file = open("\(root)/\(path)", O_RDONLY)
        guard file >= 0 else { throw Fixture.Missing() }
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(file, &chunk, chunk.count)
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the path of every Swift file below a folder, from the root of the tree.
    static func sources(below folder: String) throws -> [String] {
        guard let stream = opendir("\(root)/\(folder)") else { throw Fixture.Missing() }
        defer { closedir(stream) }
        var paths: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if name.hasPrefix(".") { continue }
            if entry.pointee.d_type == UInt8(DT_DIR) {
                paths += try sources(below: "\(folder)/\(name)")
            } else if name.hasSuffix(".swift") {
                paths.append("\(folder)/\(name)")
            }
        }
        return paths.sorted()
    }
}
