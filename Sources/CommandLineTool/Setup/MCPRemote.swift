internal import AuthModel
internal import TOML
internal import UserConfiguration

/// A remote server in a client's configuration, and how its entry becomes one that `yett mcp` serves.
struct MCPRemote: Sendable {
    let client: MCPClient
    let path: String
    let list: [String]
    let name: String
    let url: WebURL
    /// The part of the entry that the bridge would not send, so that the entry cannot be moved; `nil` if there is none.
    let obstacle: String?
    /// The members of the entry that have the server.
    private let replaced: [String]

    /// The members that mean the same for a server that a command serves.
    private static let commonMembers: Set<String> = [
        "type", "source", "name", "description", "enabled", "disabled", "timeout", "tools", "trust", "required", "autoApprove",
        "alwaysAllow", "bundled", "available_tools", "disabledTools", "includeTools", "excludeTools", "enabled_tools", "disabled_tools",
        "startup_timeout_sec", "tool_timeout_sec",
    ]

    /// Reads a server of a file; `nil` if it is not a remote one.
    init?(_ server: MCPClientFile.Server, in file: MCPClientFile) {
        client = file.client
        (path, list, name) = (file.path, server.list, server.name)
        let entry = server.entry
        let words = file.client.command(of: entry)
        if let key = file.client.urls.first(where: { entry[$0]?.string != nil }), let url = entry[key]?.string.flatMap({ WebURL($0) }) {
            self.url = url
            replaced = ["type", key].filter { entry[$0] != nil }
        } else if let index = words.firstIndex(where: { $0 == "mcp-remote" || $0.hasPrefix("mcp-remote@") }), index + 1 < words.count,
            let url = WebURL(words[index + 1])
        {
            self.url = url
            replaced = [file.client.commandKey, "args"].filter { entry[$0] != nil }
        } else {
            return nil
        }
        let known = Self.commonMembers.union(replaced)
        // goose writes all members that there are.
        let isEmpty: (JSONValue) -> Bool = { $0 == .null || $0 == .array([]) || $0 == .object([]) }
        let own = entry.members?.first { !known.contains($0.name) && !(file.client.format == .yaml && isEmpty($0.value)) }?.name
        let hasOptions = replaced.contains(file.client.commandKey) && words.last != url.text && WebURL(words.last ?? "") != url
        // A key in the URL would be seen in the list of processes.
        obstacle = own ?? (hasOptions ? "args" : url.mayHaveKey ? "url" : nil)
    }

    /// Returns the edit that lets yett serve the server, and the parts of the text that it replaces. Throws `.configuration`.
    func move(in file: MCPClientFile, command: String) throws(AuthFailure) -> (edit: FileEdit, parts: [MovedServer.Part])? {
        guard let server = file.server(name, in: list), MCPRemote(server, in: file)?.url == url else { return nil }
        let all = client.members(of: name, command: command, arguments: ["mcp", url.text])
        let present = Set(server.members.map(\.name)).subtracting(replaced)
        var parts: [(range: Range<Int>, text: String)] = []
        if let range = file.range(of: replaced, in: server) {
            parts = [(range, file.written(all.filter { !present.contains($0.name) }, in: server))]
        } else {
            for span in server.members where replaced.contains(span.name) {
                let isType = span.name == "type"
                let members =
                    isType
                    ? [JSONValue.Member("type", client.start.first { $0.name == "type" }?.value ?? "stdio")]
                    : all.filter { !present.contains($0.name) && $0.name != "type" }
                parts.append((span.range, file.written(members, in: server)))
            }
        }
        // The entry is in a form that yett does not write.
        guard !parts.isEmpty else { return nil }
        let moved = parts.map { MovedServer.Part(before: file.text($0.range), after: $0.text) }
        return (try file.edit(replacing: parts, of: server), moved)
    }
}

/// A server that `yett setup mcp --all` moved, as it is kept for `--remove`.
struct MovedServer: Equatable, Sendable {
    /// A part of an entry's text.
    struct Part: Equatable, Sendable {
        let before: String
        let after: String
    }

    /// The word of the client.
    let client: String
    let path: String
    let list: [String]
    let name: String
    let parts: [Part]

    var json: JSONValue {
        .members(
            ("client", .string(client)), ("path", .string(path)), ("list", JSONValue(list)), ("name", .string(name)),
            ("parts", .array(parts.map { .members(("before", .string($0.before)), ("after", .string($0.after))) })))
    }

    init(_ remote: MCPRemote, _ parts: [Part]) {
        (client, path, list, name) = (remote.client.word, remote.path, remote.list, remote.name)
        self.parts = parts
    }

    /// Reads an entry of the record; `nil` if it is damaged.
    init?(_ json: JSONValue) {
        guard let client = json["client"]?.string, let path = json["path"]?.string, let list = json["list"]?.strings,
            let name = json["name"]?.string, let parts = json["parts"]?.array
        else { return nil }
        (self.client, self.path, self.list, self.name) = (client, path, list, name)
        self.parts = parts.compactMap { part in
            part["before"]?.string.flatMap { before in part["after"]?.string.map { Part(before: before, after: $0) } }
        }
    }

    /// Returns the edit that moves the server back. What else was changed in its entry stays. Returns `nil` if the entry is gone, and
    /// throws `.configuration` if what yett wrote was changed.
    func back(in file: MCPClientFile) throws(AuthFailure) -> FileEdit? {
        guard let server = file.server(name, in: list), MCPSetup.url(in: server.entry, of: file.client) != nil else { return nil }
        var replacements: [(range: Range<Int>, text: String)] = []
        for part in parts {
            let written = file.members(written: part.after)
            let isKept = !written.isEmpty && written.allSatisfy { server.entry[$0.name] == $0.value }
            guard isKept, let range = file.range(of: written.map(\.name), in: server) else {
                throw AuthFailure(
                    .configuration, text: "\(name) in \(path) was changed after it was moved, so it stays as it is",
                    hint: "change it in a text editor; it was: \(parts.map(\.before).joined(separator: ", "))")
            }
            replacements.append((range, part.before))
        }
        return try file.edit(replacing: replacements, of: server)
    }
}

extension MCPClientFile {
    /// Returns the bytes of members that stand together, with nothing between them but commas and white space; `nil` if they do not.
    func range(of names: [String], in server: Server) -> Range<Int>? {
        let spans = server.members.filter { names.contains($0.name) }
        guard spans.count == names.count, let first = spans.first, let last = spans.last else { return nil }
        for (span, next) in zip(spans, spans.dropFirst()) {
            let between = text(span.range.upperBound..<next.range.lowerBound)
            guard between.allSatisfy({ $0.isWhitespace || $0 == "," }) else { return nil }
        }
        return first.range.lowerBound..<last.range.upperBound
    }

    /// Parses members in the syntax of the file; empty if the text is not such.
    func members(written text: String) -> [JSONValue.Member] {
        if client.format == .toml {
            let lines = (try? TOMLDocument(text))?.root ?? (try? TOMLDocument("entry = { \(text) }"))?.root["entry"]
            return lines.flatMap { Self.json($0).members } ?? []
        }
        if client.format == .yaml { return YAMLTable.members(written: text) ?? [] }
        return (try? JSONValue(strict: "{\(text)}"))?.members ?? []
    }
}

extension WebURL {
    /// Whether a part of the URL can be a key: the query, the fragment, or a long segment of the path that looks random.
    var mayHaveKey: Bool {
        query != nil || fragment != nil || path.split(separator: "/").contains { Self.looksRandom($0) }
    }

    /// Whether a segment of a path mixes letters and digits, and not only as words with a number, such as `payments-server-v2`.
    private static func looksRandom(_ segment: Substring) -> Bool {
        guard segment.utf8.count >= 20, segment.contains(where: \.isLetter), segment.contains(where: \.isNumber) else { return false }
        let words = segment.split { !$0.isLetter && !$0.isNumber }
        return !words.allSatisfy { word in
            let letters = word.prefix { $0.isLetter }
            let digits = word.dropFirst(letters.count)
            let hasOneCase = letters.dropFirst().allSatisfy(\.isLowercase) || letters.allSatisfy(\.isUppercase)
            return letters.count <= 16 && hasOneCase && digits.count <= (letters.isEmpty ? 8 : 4) && digits.allSatisfy(\.isNumber)
        }
    }
}
