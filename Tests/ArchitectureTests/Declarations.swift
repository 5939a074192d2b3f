/// The names that Swift files declare, as links in the documentation write them.
///
/// Relies on the layout of the formatter: a declaration begins its line, and a member is indented more than its type.
struct Declarations {
    /// The declared types, also as the names of extensions.
    private(set) var types: Set<String> = []
    /// The members of each type: `name`, and `name(label:_:)` if it has parameters.
    private(set) var members: [String: Set<String>] = [:]
    /// All names, with and without a type.
    private var names: Set<String> = []
    private var modules: Set<String> = []

    init(_ files: [SourceFile]) {
        modules = Set(files.map(\.module))
        for file in files { add(file) }
    }

    private mutating func add(_ file: SourceFile) {
        var scopes: [(indentation: Int, type: String)] = []
        for line in file.code.split(separator: "\n") {
            guard let (keyword, start) = Self.declaration(in: line) else { continue }
            let indentation = line.prefix { $0 == " " }.count
            while let scope = scopes.last, scope.indentation >= indentation { scopes.removeLast() }
            var found: [String] = []
            // A case may declare several names.
            for part in keyword == "case" ? Signature.parts(of: file.code[start...], isLine: true) : [file.code[start...]] {
                let signature = Signature(part.drop { $0 == " " || $0 == "\n" })
                guard !signature.name.isEmpty else { continue }
                found += [signature.name] + (signature.parameters == nil ? [] : [signature.link])
            }
            if Self.typeKeywords.contains(keyword), let type = found.first?.split(separator: ".").last.map(String.init) {
                found = [type]
                types.insert(type)
                scopes.append((indentation, type))
            }
            if let type = scopes.last(where: { $0.indentation < indentation })?.type { members[type, default: []].formUnion(found) }
            names.formUnion(found)
        }
    }

    private static let typeKeywords: Set<Substring> = ["struct", "class", "enum", "actor", "protocol", "extension", "typealias"]
    private static let keywords = typeKeywords.union(["func", "init", "subscript", "case", "var", "let", "associatedtype", "macro"])

    /// Returns the keyword of the declaration on a line, and where its name begins.
    static func declaration(in line: Substring) -> (keyword: Substring, start: String.Index)? {
        let words = line.split(separator: " ")
        for (word, next) in zip(words, words.dropFirst() + [""]) {
            let keyword = word.prefix { $0.isLetter }
            guard keywords.contains(keyword), !(word == "class" && keywords.contains(next)) else { continue }
            if keyword == "init" || keyword == "subscript" { return (keyword, word.startIndex) }
            if word == keyword, !next.isEmpty { return (keyword, next.startIndex) }
        }
        return nil
    }

    /// Returns whether a link, such as `Type/member(of:)` or `member`, names a declaration or a module.
    func resolves(_ link: Substring) -> Bool {
        var parts = link.split(separator: "/").map { String($0.prefix { $0 != "-" }) }
        if parts.count > 1, modules.contains(parts[0]) { parts.removeFirst() }
        if parts.count == 1 { return names.contains(parts[0]) || modules.contains(parts[0]) }
        return types.contains(parts[0]) && zip(parts, parts.dropFirst()).allSatisfy { members[$0]?.contains($1) == true }
    }
}

/// The name and the parameters of a declaration.
struct Signature {
    let name: String
    /// The labels with the names inside the function, which are what `- Parameter` names; nil without parentheses.
    let parameters: [(label: String, name: String)]?

    /// The name with its labels, as a link writes it.
    var link: String { name + "(" + (parameters ?? []).map { $0.label + ":" }.joined() + ")" }

    /// Reads a declaration from its name on.
    init(_ text: Substring) {
        let name = text.prefix { $0.isLetter || $0.isNumber || "_.`".contains($0) }
        self.name = name.filter { $0 != "`" }
        var rest = text[name.endIndex...].drop { $0 == "?" || $0 == "!" }
        if rest.hasPrefix("<") { rest = rest.drop { $0 != "(" && $0 != "{" && $0 != "\n" } }
        guard rest.hasPrefix("(") else {
            parameters = nil
            return
        }
        parameters = Self.parts(of: rest.dropFirst(), isLine: false).map { part in
            let type = Self.parts(of: part, isLine: false, separator: ":")
            let words = type.count < 2 ? [] : type[0].split { $0 == " " || $0 == "\n" }.filter { !$0.hasPrefix("@") }.map(String.init)
            return (words.first ?? "_", words.last ?? "_")
        }
    }

    /// Splits a text at its commas outside brackets, up to the bracket that closes it, or to the end of the line.
    static func parts(of text: Substring, isLine: Bool, separator: Character = ",") -> [Substring] {
        var (parts, start, depth, previous) = ([Substring](), text.startIndex, 0, separator)
        var end = text.startIndex
        scan: while end < text.endIndex {
            switch text[end] {
            case "(", "[", "{", "<": depth += 1
            case ">" where previous == "-": break
            case ")", "]", "}", ">":
                if depth == 0 { break scan }
                depth -= 1
            case separator where depth == 0:
                parts.append(text[start..<end])
                start = text.index(after: end)
            case "\n" where isLine && depth == 0 && previous != separator: break scan
            default: break
            }
            if text[end] != " " && text[end] != "\n" { previous = text[end] }
            end = text.index(after: end)
        }
        let last = text[start..<end]
        return last.allSatisfy { $0 == " " || $0 == "\n" } ? parts : parts + [last]
    }
}
