/// The targets in Package.swift, with what each declares.
struct Manifest: Sendable {
    struct Target: Sendable {
        let name: String
        /// The targets of this package that it depends on.
        let dependencies: Set<String>
        /// The folder with its files, such as `Sources/OAuth`.
        let folder: String
    }

    let targets: [Target]

    /// Reads the targets from the text of Package.swift.
    init(_ text: String) {
        let calls = text.split(separator: /\.(?:\w*[tT]arget|plugin)\(/, omittingEmptySubsequences: false).dropFirst()
        let starts = calls.map { ($0, Self.argument("name", of: $0)) }
        let names = Set(starts.compactMap(\.1))
        targets = starts.compactMap { part, name in
            guard let name else { return nil }
            let list = part.firstRange(of: "dependencies: [").map { part[$0.upperBound...].prefix { $0 != "]" } } ?? ""
            let dependencies = Set(list.split(separator: "\"").map(String.init)).intersection(names)
            return Target(name: name, dependencies: dependencies, folder: Self.argument("path", of: part) ?? Self.folder(of: name))
        }
    }

    /// Returns one line for each import of a target of this package that the file's target does not declare. An incremental build may
    /// accept such an import; a build from nothing does not.
    func undeclaredImports(in file: SourceFile) -> [String] {
        let owner = targets.filter { file.path.hasPrefix($0.folder + "/") }.max { $0.folder.count < $1.folder.count }
        guard let owner else { return [] }
        let undeclared = Set(targets.map(\.name)).subtracting(owner.dependencies).subtracting([owner.name])
        return file.imports.filter { undeclared.contains($0.module) || undeclared.contains($0.module.replacing("_", with: "-")) }
            .map { "\(file.path):\($0.line): \(owner.name) does not declare \($0.module)" }
    }

    /// Returns the string that is given for an argument.
    private static func argument(_ label: String, of call: Substring) -> String? {
        call.firstRange(of: "\(label): \"").map { String(call[$0.upperBound...].prefix { $0 != "\"" }) }
    }

    private static func folder(of name: String) -> String { (name.hasSuffix("Tests") ? "Tests/" : "Sources/") + name }
}
