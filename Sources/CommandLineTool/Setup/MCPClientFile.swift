internal import AuthModel
internal import TOML
internal import UserConfiguration

/// The configuration of an MCP client, edited as text so that everything else stays as it is.
struct MCPClientFile: Sendable {
    /// A server in the file.
    struct Server: Sendable {
        /// The path of the table that has it.
        let list: [String]
        let name: String
        let entry: JSONValue
        /// The members of the entry with their bytes in the text, in the order of the text: `"name": value`, `name = value`, or
        /// `name: value`.
        let members: [(name: String, range: Range<Int>)]
        /// The text between two members.
        var separator = ", "
    }

    let client: MCPClient
    let path: String
    /// The servers in the order of the file.
    let servers: [Server]
    private let bytes: [UInt8]?
    private let text: String

    private static let limits = JSONValue.Limits(bytes: 16 << 20, depth: 128, values: 1_000_000)
    private static func empty(_ format: MCPClient.Format) -> String { format == .json ? "{}\n" : "" }

    /// Whether the file exists.
    var exists: Bool { bytes != nil }

    /// Reads the files of a client that exist, otherwise the first of its paths as an empty file. Throws `.configuration` if one cannot be
    /// read.
    static func all(of client: MCPClient, in environment: SetupEnvironment) throws(AuthFailure) -> [MCPClientFile] {
        let files = try client.paths(in: environment).map { path throws(AuthFailure) in try MCPClientFile(client, path: path) }
        return files.contains(where: \.exists) ? files.filter(\.exists) : Array(files.prefix(1))
    }

    /// Reads a file, which may be missing. Throws `.configuration` if it cannot be read, or is not in the client's format.
    init(_ client: MCPClient, path: String) throws(AuthFailure) {
        self.client = client
        self.path = path
        bytes = try PrivateFile.read(path)
        let content = try bytes.map { [path] bytes throws(AuthFailure) in try PrivateFile.text(bytes, of: path) } ?? ""
        text = content.allSatisfy(\.isWhitespace) ? Self.empty(client.format) : content
        guard let servers = Self.servers(in: text, of: client) else {
            throw AuthFailure(
                .configuration, text: "\(client.name)'s configuration \(path) cannot be read, so it is not changed",
                hint: "correct it, or add the server by hand; see: yett help assistants")
        }
        self.servers = servers
    }

    // MARK: Reading

    private static func servers(in text: String, of client: MCPClient) -> [Server]? {
        switch client.format {
        case .json: serversOfJSON(text, client)
        case .toml: serversOfTOML(text, client)
        case .yaml: serversOfYAML(text, client)
        }
    }

    private static func serversOfYAML(_ text: String, _ client: MCPClient) -> [Server]? {
        YAMLTable(text, name: client.list[0])?.entries.compactMap { entry in
            guard entry.value.members != nil else { return nil }
            return Server(
                list: client.list, name: entry.name, entry: entry.value,
                members: entry.members, separator: "\n" + String(repeating: " ", count: entry.indent))
        }
    }

    private static func serversOfJSON(_ text: String, _ client: MCPClient) -> [Server]? {
        guard let root = try? JSONValue(strict: JSONEditor.plain(text), limits: limits), root.members != nil else { return nil }
        guard root[client.list[0]] == nil || root[client.list[0]]?.members != nil else { return nil }
        let editor = JSONEditor(text)
        var servers: [Server] = []
        for list in ([client.list] + client.otherLists).flatMap({ paths($0, in: root) }) {
            for server in list.reduce(root as JSONValue?, { $0?[$1] })?.members ?? [] where server.value.members != nil {
                let members = editor.members(at: list + [server.name]) ?? []
                servers.append(Server(list: list, name: server.name, entry: server.value, members: members))
            }
        }
        return servers
    }

    /// Returns the paths that a path with `*` stands for.
    private static func paths(_ path: [String], in root: JSONValue) -> [[String]] {
        guard let star = path.firstIndex(of: "*") else { return [path] }
        let names = path[..<star].reduce(root as JSONValue?) { $0?[$1] }?.members?.map(\.name) ?? []
        return names.map { path[..<star] + [$0] + path[(star + 1)...] }
    }

    private static func serversOfTOML(_ text: String, _ client: MCPClient) -> [Server]? {
        guard let document = try? TOMLDocument(text) else { return nil }
        guard let table = document.root[path: client.list] else { return [] }
        guard case .table(let tables) = table else { return nil }
        return tables.compactMap { table in
            guard case .table(let members) = table.value else { return nil }
            let path = client.list + [table.name]
            let spans = document.entries.filter { $0.place != .header && $0.path.count == path.count + 1 && $0.path.starts(with: path) }
            return Server(
                list: client.list, name: table.name, entry: .object(members.map { .init($0.name, json($0.value)) }),
                members: spans.map { (name: $0.path.last ?? "", range: $0.range) },
                separator: spans.first?.place == .braces ? ", " : "\n")
        }
    }

    static func json(_ value: TOMLValue) -> JSONValue {
        switch value {
        case .string(let text), .moment(let text): .string(text)
        case .integer(let number): .number(String(number))
        case .float(let number): .number(String(number))
        case .boolean(let flag): .bool(flag)
        case .array(let values): .array(values.map(json))
        case .table(let members): .object(members.map { .init($0.name, json($0.value)) })
        }
    }

    /// Returns the server of a name in the table of a path.
    func server(_ name: String, in list: [String]) -> Server? { servers.first { $0.name == name && $0.list == list } }

    /// The path of the table that gets new entries.
    var list: [String] {
        client.otherLists.first { other in !other.contains("*") && servers.contains { $0.list == other } } ?? client.list
    }

    // MARK: Changing

    /// Returns the edit that sets a server in a table, or removes it. Throws `.configuration` if the result is not what was meant.
    func edit(_ name: String, in list: [String], to members: [JSONValue.Member]?) throws(AuthFailure) -> FileEdit {
        let changed: String? =
            switch client.format {
            case .json: editedJSON(name, in: list, to: members)
            case .toml: editedTOML(name, in: list, to: members)
            case .yaml: YAMLTable(text, name: list[0])?.setting(name, to: members)
            }
        guard let changed else { throw unchangeable }
        return try checked(changed, name, in: list) { $0 == members.map(JSONValue.object) }
    }

    private func editedJSON(_ name: String, in list: [String], to members: [JSONValue.Member]?) -> String {
        var editor = JSONEditor(text)
        if let members { editor.set(name, to: .object(members), inObject: list) } else { editor.remove(name, inObject: list) }
        return editor.text
    }

    private func editedTOML(_ name: String, in list: [String], to members: [JSONValue.Member]?) -> String? {
        var editor = TOMLEditor(text)
        if server(name, in: list) != nil { guard (try? editor.remove(table: list + [name])) != nil else { return nil } }
        if let members { editor.append(table: list + [name], values: members.map { ($0.name, Self.toml($0.value)) }) }
        return editor.text
    }

    /// Returns the edit that replaces bytes of entries. Throws `.configuration` if another server, or anything else, would change.
    func edit(replacing parts: [(range: Range<Int>, text: String)], of server: Server) throws(AuthFailure) -> FileEdit {
        var changed = Array(text.utf8)
        for part in parts.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
            changed.replaceSubrange(part.range, with: part.text.utf8)
        }
        return try checked(String(decoding: changed, as: UTF8.self), server.name, in: server.list) { $0 != nil }
    }

    /// Returns the text of bytes of the file.
    func text(_ range: Range<Int>) -> String { String(decoding: Array(text.utf8)[range], as: UTF8.self) }

    /// Returns members in the syntax of the file, to stand in the entry of a server.
    func written(_ members: [JSONValue.Member], in server: Server) -> String {
        members.map { member in
            switch client.format {
            case .json: "\(JSONValue.string(member.name).text): \(member.value.text)"
            case .toml: "\(TOMLText.key(member.name)) = \(Self.toml(member.value))"
            case .yaml: YAMLTable.written(member)
            }
        }.joined(separator: server.separator)
    }

    private static func toml(_ value: JSONValue) -> String {
        value.string.map(TOMLText.quoted) ?? value.strings.map(TOMLText.list) ?? value.text
    }

    /// Returns the edit to a text in which only one server may differ.
    private func checked(
        _ changed: String, _ name: String, in list: [String], isMeant: (JSONValue?) -> Bool
    ) throws(AuthFailure) -> FileEdit {
        func others(_ servers: [Server]) -> [[JSONValue]] {
            servers.filter { !(list + [name]).starts(with: $0.list + [$0.name]) }.map { [JSONValue($0.list), .string($0.name), $0.entry] }
        }
        guard let result = Self.servers(in: changed, of: client), others(result) == others(servers),
            isMeant(result.first { $0.name == name && $0.list == list }?.entry),
            Self.rest(of: changed, client) == Self.rest(of: text, client)
        else { throw unchangeable }
        // A file that was made for this entry goes away with it.
        return FileEdit(path: path, before: bytes, after: changed, isRemoval: changed == Self.empty(client.format) && bytes != nil)
    }

    /// Returns what the file has beside its lists of servers.
    private static func rest(of text: String, _ client: MCPClient) -> JSONValue? {
        let root: JSONValue? =
            switch client.format {
            case .json: try? JSONValue(strict: JSONEditor.plain(text), limits: limits)
            case .toml: (try? TOMLDocument(text)).map { json($0.root) }
            case .yaml: YAMLTable(text, name: client.list[0]).map { ["lines": JSONValue($0.rest)] }
            }
        let lists = Set(([client.list] + client.otherLists).map { $0[0] })
        return (root?.members).map { .object($0.filter { !lists.contains($0.name) }) }
    }

    private var unchangeable: AuthFailure {
        AuthFailure(.configuration, text: "\(path) cannot be changed", hint: "change \(client.list[0]) in a text editor")
    }
}
