import Glibc
import Testing

/// Checks that the documentation names only what exists: declarations, parameters, files and folders.
struct DocumentationTests {
    private static let files = SourceTree.sources + SourceTree.tests
    private static let pages =
        ["README.md", ".github/CONTRIBUTING.md", ".github/SECURITY.md"] + SourceTree.files(in: "Sources", endingIn: [".md"])

    @Test func linksNameDeclarations() {
        let declarations = Declarations(Self.files)
        let articles = Set(Self.pages.compactMap { $0.split(separator: "/").last?.dropLast(".md".count) })
        var lines = Self.pages.flatMap { page in Self.prose(of: page).map { (page, $0.number, $0.text) } }
        for file in Self.files where file.text.holds("``") {
            let comments = file.lines.enumerated().filter { $0.element.drop { $0 == " " }.hasPrefix("//") }
            lines += comments.map { (file.path, $0.offset + 1, $0.element) }
        }
        var missing: [String] = []
        for (path, number, text) in lines where text.contains("``") || text.contains("<doc:") {
            let links = text.matches(of: /``([^`]+)``/).map(\.output.1).filter { !declarations.resolves($0) }
            let others = text.matches(of: /<doc:(?:[^>\/]+\/)*([^>#]+)/).map(\.output.1).filter { !articles.contains($0) }
            missing += (links + others).map { "\(path):\(number): \($0)" }
        }
        #expect(declarations.types.count > 1000)
        #expect(missing == [], "no declaration or article has this name")
    }

    @Test func documentedParametersAreInTheSignature() {
        var missing: [String] = []
        for file in Self.files where file.text.holds("- Parameter") || file.text.holds("- parameter") {
            let code = file.code.split(separator: "\n", omittingEmptySubsequences: false)
            var documented: [(line: Int, name: Substring)] = []
            for (index, line) in file.lines.enumerated() {
                if let match = line.firstMatch(of: /^ *\/\/\/ +- (?:[Pp]arameter )?`?(\w+)`?:/) {
                    if !["Parameters", "Returns", "Throws"].contains(match.output.1) { documented.append((index + 1, match.output.1)) }
                } else if !documented.isEmpty, let (_, start) = Declarations.declaration(in: code[index]) {
                    let parameters = Signature(file.code[start...]).parameters
                    let names = parameters.map { Set($0.map(\.name)) }
                    // A list without parameters below it is a list of something else.
                    missing += documented.filter { names?.contains(String($0.name)) == false }.map { "\(file.path):\($0.line): \($0.name)" }
                    documented = []
                }
            }
        }
        #expect(missing == [], "the declaration below has no parameter of this name")
    }

    @Test func pagesNameExistingFiles() {
        let folders = ["Sources", "Tests", "Themes", ".github", ".ci", ".packaging"]
        let paths = ["README.md", "Package.swift"] + folders + folders.flatMap { SourceTree.files(in: $0, endingIn: [""]) }
        // Every end of a path, so that a page may leave out the folders that its reader knows.
        func ends(_ path: String) -> [String] { path.indices.filter { path[$0] == "/" }.map { String(path[$0...].dropFirst()) } + [path] }
        let known = Set(paths.flatMap(ends))
        func exists(_ name: Substring, below folder: String) -> Bool {
            let plain = name.hasSuffix("/") ? String(name.dropLast()) : String(name)
            let pattern = plain.replacing(/NAME|FOLDER|FAMILY|LANGUAGE|READER/, with: "*")
            if folder.isEmpty && !pattern.contains("*") { return known.contains(pattern) }
            return paths.contains { path in
                path.hasPrefix(folder) && ["", ".swift"].contains { fnmatch("*/" + pattern + $0, "/" + path, 0) == 0 }
            }
        }
        var missing: [String] = []
        for page in Self.pages {
            let parts = page.split(separator: "/")
            let target = parts[0] == "Sources" ? "Sources/\(parts[1])/" : ""
            var columns: [Int] = []
            var isTable = false
            for (number, text) in Self.prose(of: page) {
                let cells = text.hasPrefix("|") ? text.split(separator: "|") : []
                let titles = cells.enumerated().filter { ["file", "files", "folder"].contains($0.element.filter { $0 != " " }) }
                if !isTable || cells.isEmpty { columns = titles.map(\.offset) }
                isTable = !cells.isEmpty
                let listed = columns.filter { $0 < cells.count }.flatMap { cells[$0].matches(of: /`([^` ]+)`/).map(\.output.1) }
                let named = text.matches(of: /`([^` ]+)`/).map(\.output.1).filter { name in
                    folders.contains { name == $0 || name.hasPrefix($0 + "/") }
                        || name.wholeMatch(of: /[\w*+.-][\w*+.\/-]*\.(swift|md|py|sh|c|h|svg|cast|po)/) != nil
                }
                let linked = text.matches(of: /\]\(([^)#:]+)\)/).map { $0.output.1.replacing("../", with: "") }
                let wrong = listed.filter { !exists($0, below: target) } + (named + linked).filter { !exists($0, below: "") }
                missing += wrong.map { "\(page):\(number): \($0)" }
            }
        }
        #expect(known.count > 1000)
        #expect(missing == [], "no file or folder has this name")
    }

    /// Returns the lines of a page outside its code blocks, with their numbers.
    private static func prose(of page: String) -> [(number: Int, text: Substring)] {
        var isCode = false
        return SourceTree.text(page).split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { index, line in
            if line.hasPrefix("```") { isCode.toggle() }
            return isCode ? nil : (index + 1, line)
        }
    }
}

/// Tests of the check of links itself.
struct DeclarationsTests {
    private static let file = SourceFile(
        path: "Sources/OAuth/A.swift",
        text: """
            enum A {
                case b, c(Int, name: String)
                func d<T>(of e: [Int: T], _ f: () -> Void = {})
                    -> Int
                struct G {
                    init?(h: Int) {}
                }
            }
            """)

    @Test(arguments: [
        ("A", true), ("B", false), ("A/b", true), ("A/c(_:name:)", true), ("A/c(_:)", false), ("A/d", true), ("A/d(of:_:)", true),
        ("A/d(of:)", false), ("d(of:_:)", true), ("A/G/init(h:)", true), ("OAuth/A/b", true), ("A/e", false),
    ])
    func linkIsResolved(link: String, exists: Bool) {
        #expect(Declarations([Self.file]).resolves(link[...]) == exists)
    }

    @Test func parametersAreNamedAsInsideTheFunction() {
        #expect(Signature("init?(_ a: Int, b c: [Int: Int], d: @escaping (_ e: Int) -> Void)").parameters?.map(\.name) == ["a", "c", "d"])
    }
}
