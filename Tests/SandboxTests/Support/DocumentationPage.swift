import Glibc

/// A page of the module's documentation catalogue, from the source tree.
enum DocumentationPage {
    static func text(_ name: String) -> String? {
        let root = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()
        return contents(of: "\(root)/Sources/Sandbox/Sandbox.docc/\(name).md")
    }

    private static func contents(of path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        while case let byte = fgetc(file), byte != EOF { bytes.append(UInt8(truncatingIfNeeded: byte)) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
