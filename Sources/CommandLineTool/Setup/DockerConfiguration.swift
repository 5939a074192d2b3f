internal import AuthModel
internal import UserConfiguration

/// docker's `config.json`, edited as text so that everything else stays as it is.
struct DockerConfiguration: Sendable {
    let path: String
    private let bytes: [UInt8]?
    private var text: String
    private var root: JSONValue

    private static let key = "credHelpers"
    /// The text that docker reads like a missing file.
    private static let empty = "{}\n"

    /// Reads the file, which may be missing. Throws `.configuration` if it cannot be read or is not JSON.
    init(path: String) throws(AuthFailure) {
        self.path = path
        bytes = try PrivateFile.read(path)
        text = try bytes.map { bytes throws(AuthFailure) in try PrivateFile.text(bytes, of: path) } ?? Self.empty
        if text.allSatisfy(\.isWhitespace) { text = Self.empty }
        root = try Self.parse(text, of: path)
        guard root.members != nil, root[Self.key] == nil || root[Self.key]?.members != nil else { throw Self.unreadable(path) }
    }

    private static func parse(_ text: String, of path: String) throws(AuthFailure) -> JSONValue {
        do throws(JSONError) { return try JSONValue(strict: text) } catch { throw unreadable(path) }
    }

    private static func unreadable(_ path: String) -> AuthFailure {
        AuthFailure(.configuration, text: "docker's configuration \(path) is not valid JSON", hint: "correct it, and run the command again")
    }

    /// The registries with a credential helper of their own, in the order of the file.
    var helpers: [(registry: String, helper: String)] {
        (root[Self.key]?.members ?? []).compactMap { member in member.value.string.map { (member.name, $0) } }
    }

    /// Returns the edit of the file that a change of the text makes. Throws `.configuration` if the result is not what was meant.
    func edit(_ change: (inout DockerConfiguration) -> Void) throws(AuthFailure) -> FileEdit {
        var changed = self
        change(&changed)
        guard try Self.parse(changed.text, of: path) == changed.root else {
            throw AuthFailure(.configuration, text: "\(path) cannot be changed", hint: "change credHelpers in a text editor")
        }
        // A file that was made for this entry goes away with it.
        let isLeftEmpty = changed.text == Self.empty && changed.root.members?.isEmpty == true
        return FileEdit(path: path, before: bytes, after: changed.text, isRemoval: isLeftEmpty)
    }

    mutating func set(_ helper: String, for registry: String) {
        var editor = JSONEditor(text)
        editor.set(registry, to: helper, inObject: Self.key)
        text = editor.text
        update { members in
            if let index = members.firstIndex(where: { $0.name == registry }) {
                members[index].value = .string(helper)
            } else {
                members.append(.init(registry, .string(helper)))
            }
        }
    }

    mutating func remove(_ registry: String) {
        var editor = JSONEditor(text)
        editor.remove(registry, inObject: Self.key)
        text = editor.text
        update { $0.removeAll { $0.name == registry } }
    }

    private mutating func update(_ change: (inout [JSONValue.Member]) -> Void) {
        var members = root.members ?? []
        var helpers = root[Self.key]?.members ?? []
        change(&helpers)
        let index = members.firstIndex { $0.name == Self.key }
        switch (index, helpers.isEmpty) {
        case (let index?, true): members.remove(at: index)
        case (let index?, false): members[index].value = .object(helpers)
        case (nil, true): break
        case (nil, false): members.append(.init(Self.key, .object(helpers)))
        }
        root = .object(members)
    }
}
