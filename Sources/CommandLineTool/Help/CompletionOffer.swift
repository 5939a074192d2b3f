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
            walk.take(word, at: index)
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

        mutating func take(_ word: String, at index: Int) {
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
