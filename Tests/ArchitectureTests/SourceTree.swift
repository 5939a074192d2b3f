import FoundationEssentials
import ProcessHarness

/// The files of the project.
enum SourceTree {
    /// The Swift files of the modules.
    static let sources = swiftFiles(in: ["Sources", "Themes"])
    /// The Swift files of the tests.
    static let tests = swiftFiles(in: ["Tests"])

    /// Returns the names in a folder, sorted.
    static func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: path(folder)))?.sorted() ?? []
    }

    /// Returns the files below a folder whose names have one of the endings, as paths from the top of the tree.
    static func files(in folder: String, endingIn endings: [String]) -> [String] {
        let below = (try? FileManager.default.subpathsOfDirectory(atPath: path(folder))) ?? []
        return below.filter { name in endings.contains { name.hasSuffix($0) } }.map { "\(folder)/\($0)" }.sorted()
    }

    /// Returns the text of a file; empty if it is not UTF-8.
    static func text(_ file: String) -> String {
        guard let data = FileManager.default.contents(atPath: path(file)) else { return "" }
        return String(bytes: data, encoding: .utf8) ?? ""
    }

    private static func swiftFiles(in folders: [String]) -> [SourceFile] {
        folders.flatMap { files(in: $0, endingIn: [".swift"]) }.map { SourceFile(path: $0, text: text($0)) }
    }

    private static func path(_ name: String) -> String {
        name.isEmpty ? Product.sourceTree : Product.sourceTree + "/" + name
    }
}
