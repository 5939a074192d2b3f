internal import ArgumentParser
internal import AuthModel

/// The completions that a shell offers for the word under the cursor.
enum CompletionOffer: Equatable {
    /// Words of yett, each with a short explanation or an empty one.
    case words([Word])
    /// File names from the shell, after a prefix of the word that is not part of the path, such as `--config=`.
    case files(after: String)
    case folders(after: String)
    /// The shell's own completion of another command line, which starts at this word; the program's name is word 0.
    case command(from: Int)

    struct Word: Equatable {
        var text: String
        var help = ""
    }

    /// Returns the completions for the cursor's word.
    ///
    /// - Parameters:
    ///   - words: the words before the cursor's word, starting with the program's name.
    ///   - current: the cursor's word, up to the cursor.
    ///   - names: returns a list of names.
    static func make(
        _ words: [String], current: String, tree: CompletionTree = .program(), names: (CompletionList) async -> [String]
    ) async -> CompletionOffer {
        var walk = Walk(tree: tree)
        for (index, word) in words.enumerated().dropFirst() {
            walk.read(word, at: index)
            if let start = walk.commandStart { return .command(from: start) }
        }
        return await walk.offer(for: current, at: words.count, names: names)
    }

    /// A parser that follows a command line word by word.
    private struct Walk {
        var tree: CompletionTree
        private var operands = 0
        private var isBehindTerminator = false
        /// The option whose value comes next.
        private var pending: CompletionTree.Option?
        private var used: Set<String> = []
        private(set) var commandStart: Int?

        init(tree: CompletionTree) { self.tree = tree }

        mutating func read(_ word: String, at index: Int) {
            if pending != nil {
                pending = nil
            } else if word == "--", !isBehindTerminator {
                isBehindTerminator = true
            } else if word.hasPrefix("-"), word != "-", !isBehindTerminator {
                let name = String(word.prefix { $0 != "=" })
                used.insert(name)
                if let option = option(name), option.value != nil, name == word { pending = option }
            } else if operands == 0, !isBehindTerminator, let subcommand = tree.subcommands.first(where: { $0.name == word }) {
                tree = subcommand
                used = []
            } else {
                if operand == .command { commandStart = index }
                operands += 1
            }
        }

        func offer(for current: String, at index: Int, names: (CompletionList) async -> [String]) async -> CompletionOffer {
            if let value = pending?.value { return await offer(value, prefix: "", at: index, names) }
            if !isBehindTerminator, current.hasPrefix("-") {
                guard let equals = current.firstIndex(of: "=") else { return .words(options) }
                guard let value = option(String(current[..<equals]))?.value else { return .words([]) }
                return await offer(value, prefix: String(current[...equals]), at: index, names)
            }
            if operands == 0, !isBehindTerminator, !tree.subcommands.isEmpty {
                return .words(tree.subcommands.map { Word(text: $0.name, help: $0.help) })
            }
            guard let operand else { return .words(isBehindTerminator ? [] : options) }
            return await offer(operand, prefix: "", at: index, names)
        }

        /// The values of the next operand. A system command comes only after `--`.
        private var operand: CompletionTree.Values? {
            let own = tree.operands
            if isBehindTerminator, let command = own.first(where: { $0.values == .command }) { return command.values }
            let others = own.filter { $0.values != .command }
            if operands < others.count { return others[operands].values }
            return others.last.flatMap { $0.isRepeating ? $0.values : nil }
        }

        private func option(_ name: String) -> CompletionTree.Option? { tree.options.first { $0.names.contains(name) } }

        /// The options that can still be given, by their long names.
        private var options: [Word] {
            tree.options.filter { $0.isRepeating || used.isDisjoint(with: $0.names) }.compactMap { option in
                (option.names.first { $0.hasPrefix("--") } ?? option.names.first).map { Word(text: $0, help: option.help) }
            }
        }

        private func offer(
            _ values: CompletionTree.Values, prefix: String, at index: Int, _ names: (CompletionList) async -> [String]
        ) async -> CompletionOffer {
            switch values {
            case .words(let words): .words(words.map { Word(text: prefix + $0) })
            case .list(let list): .words(await names(list).map { Word(text: prefix + $0) })
            case .files: .files(after: prefix)
            case .folders: .folders(after: prefix)
            case .command: .command(from: index)
            case .text: .words([])
            }
        }
    }
}

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
    ///
    /// - Parameter sandbox: the parser's description of `yett-sandbox`, which reads the arguments of `yett sandbox`.
    static func program(sandbox: JSONValue? = nil) -> CompletionTree {
        let account = try? JSONValue(strict: RootCommand._dumpHelp(), limits: .init(bytes: 4 << 20, depth: 64))
        var tree = account?["command"].flatMap(CompletionTree.init) ?? CompletionTree(name: "yett", help: "")
        let index = tree.subcommands.firstIndex { $0.name == SandboxCommand.configuration.commandName }
        if let index, let own = sandbox.flatMap(CompletionTree.init) {
            tree.subcommands[index].operands = own.operands
            tree.subcommands[index].options += own.options.filter { $0.names.contains("--help") == false }
        }
        tree.inherit(tree.options.filter { option in GlobalOptionsHelp.names.contains { option.names.contains($0) } })
        return tree
    }

    /// Adds the global options, which only the program itself declares, to all commands below it.
    private mutating func inherit(_ globals: [Option]) {
        for index in subcommands.indices {
            subcommands[index].options += globals
            subcommands[index].inherit(globals)
        }
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

    /// Returns the names of an option with their dashes, from the parser's description of it.
    static func names(_ argument: JSONValue) -> [String] {
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
