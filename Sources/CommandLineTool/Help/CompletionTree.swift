internal import ArgumentParser
internal import AuthModel

/// A command with the subcommands, options and operands that completion can offer.
struct CompletionTree {
    /// An option or a flag.
    struct Option {
        /// All names of the option, with their dashes.
        var names: [String]
        var help: String
        var isRepeating: Bool
        /// The possible values; `nil` if it takes none.
        var value: Values?
    }

    /// The possible values of an argument or option.
    enum Values: Equatable {
        case words([String])
        case list(CompletionList)
        case files
        case folders
        /// A system command and its arguments.
        case command
        /// Free text, which cannot be completed.
        case text
    }

    var name: String
    var help: String
    var subcommands: [CompletionTree] = []
    var options: [Option] = []
    /// The positional arguments, in order; one with `isRepeating` takes all that follow.
    var operands: [(values: Values, isRepeating: Bool)] = []

    /// Returns the program's commands, from the parser's description of them.
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
        // The parser lists its own `help` in addition to ours; it never runs.
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

/// The lists of names that arguments accept.
enum CompletionList: String, CaseIterable {
    case providers, sessions, themes, presets, help

    /// Marks the arguments that are a system command.
    fileprivate static let systemCommand = "command"
}

extension CompletionKind {
    /// Returns the completion kind of an argument that takes a name from a list. The parser has no such kind: this marks the argument for
    /// ``CompletionTree`` and is never run.
    static func names(_ list: CompletionList) -> CompletionKind { .shellCommand(list.rawValue) }

    /// The completion kind of an argument that is a system command.
    static var systemCommand: CompletionKind { .shellCommand(CompletionList.systemCommand) }
}
