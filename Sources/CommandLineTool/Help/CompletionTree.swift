internal import ArgumentParser
internal import AuthModel

/// A command as a completion sees it: what may follow its name.
struct CompletionTree {
    /// An option or a flag.
    struct Option {
        /// All of its names, with their dashes.
        var names: [String]
        var help: String
        var isRepeating: Bool
        /// What its value can be; `nil`: it takes none.
        var value: Values?
    }

    /// What an argument, or an option's value, can be.
    enum Values: Equatable {
        case words([String])
        case list(CompletionList)
        case files
        case folders
        /// A command of the system, and its arguments.
        case command
        /// Nothing that is known.
        case text
    }

    var name: String
    var help: String
    var subcommands: [CompletionTree] = []
    var options: [Option] = []
    /// What stands without a dash, in order; `isLast` takes all that follow.
    var operands: [(values: Values, isRepeating: Bool)] = []

    /// The program's commands, from the parser's own account of them.
    static func program() -> CompletionTree {
        let account = try? JSONValue(strict: RootCommand._dumpHelp(), limits: .init(bytes: 4 << 20, depth: 64))
        return account?["command"].flatMap(CompletionTree.init) ?? CompletionTree(name: "yett", help: "")
    }

    init(name: String, help: String) {
        self.name = name
        self.help = help
    }

    private init?(_ command: JSONValue) {
        guard command["shouldDisplay"]?.bool != false, let name = command["commandName"]?.string else { return nil }
        self.init(name: name, help: command["abstract"]?.string ?? "")
        var seen: Set<String> = []
        // The parser lists its own `help` beside ours, which it never runs.
        subcommands = (command["subcommands"]?.array ?? []).compactMap(CompletionTree.init).filter { seen.insert($0.name).inserted }
        for argument in command["arguments"]?.array ?? [] where argument["shouldDisplay"]?.bool != false {
            let isRepeating = argument["isRepeating"]?.bool == true
            switch argument["kind"]?.string {
            case "positional": operands.append((Self.values(argument), isRepeating))
            case let kind:
                options.append(
                    Option(
                        names: Self.names(argument), help: argument["abstract"]?.string ?? "", isRepeating: isRepeating,
                        value: kind == "flag" ? nil : Self.values(argument)))
            }
        }
    }

    private static func names(_ argument: JSONValue) -> [String] {
        (argument["names"]?.array ?? []).compactMap { name in
            name["name"]?.string.map { (name["kind"]?.string == "long" ? "--" : "-") + $0 }
        }
    }

    private static func values(_ argument: JSONValue) -> Values {
        let kind = argument["completionKind"]
        if let marker = kind?["shellCommand"]?["command"]?.string {
            return marker == CompletionList.systemCommand ? .command : CompletionList(rawValue: marker).map(Values.list) ?? .text
        }
        if kind?["directory"] != nil { return .folders }
        if kind?["file"] != nil { return .files }
        if let words = kind?["list"]?["values"]?.array ?? argument["allValues"]?.array { return .words(words.compactMap(\.string)) }
        return ["file", "path"].contains(argument["valueName"]?.string) ? .files : .text
    }
}

/// The names that a home has, for arguments that take one.
enum CompletionList: String, CaseIterable {
    case providers, sessions, themes, help

    /// Marks the arguments that are a command of the system.
    fileprivate static let systemCommand = "command"
}

extension CompletionKind {
    /// An argument that takes a name from a list. The parser has no kind of that sort: this is a marker for ``CompletionTree``, and nothing
    /// runs it.
    static func names(_ list: CompletionList) -> CompletionKind { .shellCommand(list.rawValue) }

    /// An argument that is a command of the system.
    static var systemCommand: CompletionKind { .shellCommand(CompletionList.systemCommand) }
}
