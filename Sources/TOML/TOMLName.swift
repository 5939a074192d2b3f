/// The name of a key or a table, compared by its bytes (TOML 1.0, Keys). Swift's `==` treats canonically equivalent texts as equal, such as
/// é in one and in two characters.
struct TOMLName: Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (left: TOMLName, right: TOMLName) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension Sequence<String> {
    /// Returns whether both paths have the same names.
    func isPath(_ other: [String]) -> Bool { elementsEqual(other) { TOMLName($0) == TOMLName($1) } }

    /// Returns whether the path is a table's, or goes through it.
    func isPath(in table: [String]) -> Bool { starts(with: table) { TOMLName($0) == TOMLName($1) } }
}
