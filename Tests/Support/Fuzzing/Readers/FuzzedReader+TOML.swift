import TOML

extension FuzzedReader {
    static let tomlWords = [
        "[", "]", "[[", "]]", "=", ".", "\"", "'", "\"\"\"", "'''", "\\", "\\u0000", "\\U0010FFFF", "#", "\n", "\r\n", "\t", "{", "}", ",",
        "true", "false", "inf", "-nan", "0x", "0b1", "1979-05-27T07:32:00Z", "07:32:00", "1979-02-29", "1:", "1e5", "1_000", "\u{FEFF}",
    ]

    /// A TOML document is the same after writing and reading it again, and an edit changes only what it names.
    static let toml = FuzzedReader(
        "toml", words: tomlWords + ["[ui]", "ui", "theme", "ui.theme = 1", "[providers.x]", "providers", "providers.x", "x", "a.b"]
    ) { (input) throws(BrokenProperty) in
        let given = text(input)
        let document: TOMLDocument
        do throws(TOMLError) {
            document = try TOMLDocument(given)
        } catch {
            try BrokenProperty.unless((1...given.utf8.count + 1).contains(error.line), "names a line that there is not")
            try BrokenProperty.unless(!error.reason.code.isEmpty && !error.hint.code.isEmpty, "says nothing")
            return false
        }
        let root = document.root
        try BrokenProperty.unless(
            document.entries.allSatisfy { $0.range.upperBound <= given.utf8.count && document.line(of: $0.path) != nil }, "points outside")
        if let again = TOMLWriting.text(root) {
            try BrokenProperty.unless(
                (try? TOMLDocument(again))?.root["x"].map(TOMLWriting.same(as: root)) == true, "is not the same again")
        }
        try checkSetting(given, document)
        try checkRemoving(given, document)
        return true
    }

    private static func checkSetting(_ given: String, _ document: TOMLDocument) throws(BrokenProperty) {
        let before = document.root["ui"] ?? .table([])
        guard before.members != nil, before["theme"]?.members == nil, before["theme"]?.array == nil else { return }
        let after = try edited(given) { (editor) throws(TOMLError) in try editor.set("theme", in: ["ui"], to: "\"plain\"") }
        try BrokenProperty.unless(after["ui"]?["theme"] == .string("plain"), "does not set what it was given")
        try BrokenProperty.unless(
            TOMLWriting.same(as: document.root.without(["ui", "theme"]))(after.without(["ui", "theme"])), "sets more than it was given")
    }

    private static func checkRemoving(_ given: String, _ document: TOMLDocument) throws(BrokenProperty) {
        guard document.root["providers"].map({ $0.members != nil }) ?? true else { return }
        let after = try edited(given) { (editor) throws(TOMLError) in try editor.remove(table: ["providers", "x"]) }
        try BrokenProperty.unless(after["providers"]?["x"] == nil, "does not remove what it was given")
        try BrokenProperty.unless(
            TOMLWriting.same(as: document.root.without(["providers", "x"]))(after.without(["providers", "x"])),
            "removes more than it was given")
    }

    private static func edited(
        _ given: String, _ edit: (inout TOMLEditor) throws(TOMLError) -> Void
    ) throws(BrokenProperty) -> TOMLValue {
        var editor = TOMLEditor(given)
        do throws(TOMLError) {
            try edit(&editor)
            return try TOMLDocument(editor.text).root
        } catch {
            throw BrokenProperty("an edit leaves what is not TOML, at line \(error.line): \(error.reason)")
        }
    }
}

/// Writes TOML values as text.
enum TOMLWriting {
    /// Returns `x = VALUE`; `nil` if that exceeds the nesting limit.
    static func text(_ value: TOMLValue) -> String? {
        depth(of: value) < TOMLDocument.maximumDepth ? "x = " + written(value) : nil
    }

    /// Compares values; NaN is equal to NaN.
    static func same(as value: TOMLValue) -> (TOMLValue) -> Bool {
        { written($0) == written(value) }
    }

    private static func written(_ value: TOMLValue) -> String {
        switch value {
        case .string(let text): TOMLText.quoted(text)
        case .integer(let number): String(number)
        case .float(let number): number.isNaN ? "nan" : number.isInfinite ? (number < 0 ? "-inf" : "inf") : String(number)
        case .boolean(let flag): String(flag)
        case .moment(let text): text
        case .array(let elements): "[" + elements.map(written).joined(separator: ", ") + "]"
        case .table(let members):
            "{" + members.map { "\(TOMLText.key($0.name)) = \(written($0.value))" }.joined(separator: ", ") + "}"
        }
    }

    private static func depth(of value: TOMLValue) -> Int {
        switch value {
        case .array(let elements): 1 + (elements.map(depth).max() ?? 0)
        case .table(let members): 1 + (members.map { depth(of: $0.value) }.max() ?? 0)
        default: 1
        }
    }
}

extension TOMLValue {
    /// Returns the value without one member, and without the tables that become empty.
    fileprivate func without(_ path: [String]) -> TOMLValue {
        guard let name = path.first, let members else { return self }
        return .table(
            members.compactMap { member in
                guard member.name == name else { return member }
                guard path.count > 1, member.value.members != nil else { return path.count > 1 ? member : nil }
                let rest = member.value.without(Array(path.dropFirst()))
                return rest.members?.isEmpty == true ? nil : Member(name, rest)
            }
            .sorted { $0.name < $1.name })
    }
}
