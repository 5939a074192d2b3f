internal import ArgumentParser
internal import AuthModel
internal import CommandLineHelp

/// The help pages of the commands, generated from their definitions.
struct CommandPages {
    /// One page per command; the program's own page is first.
    let pages: [HelpPage]

    /// Generates the pages.
    init() {
        // The parser's description of the commands is also the source of `--help`.
        let account = try? JSONValue(strict: RootCommand._dumpHelp(), limits: .init(bytes: 4 << 20, depth: 64))
        pages = account?["command"].map { Self.pages(for: $0, RootCommand.self, below: []) } ?? []
    }

    private static func pages(
        for command: JSONValue, _ type: (any ParsableCommand.Type)?, below parents: [String]
    ) -> [HelpPage] {
        guard command["shouldDisplay"]?.bool != false, let name = command["commandName"]?.string else { return [] }
        let path = parents + [name]
        var seen: Set<String> = []
        // The parser lists its own `help` in addition to ours; it never runs.
        let subcommands = (command["subcommands"]?.array ?? []).filter {
            $0["shouldDisplay"]?.bool != false && seen.insert($0["commandName"]?.string ?? "").inserted
        }
        var page = HelpPage(
            name: path.count == 1 ? name : path.dropFirst().joined(separator: " "), section: .commands,
            summary: clause(command["abstract"]?.string ?? ""),
            blocks: synopsis(of: command, path: path, hasSubcommands: !subcommands.isEmpty) + description(of: command)
                + list("Arguments", arguments(of: command, kind: "positional")) + list("Options", options(of: command))
                + list("Commands", subcommands.compactMap(line)),
            examples: (type as? any DocumentedCommand.Type)?.examples ?? [:])
        page.blocks += seeAlso(path)
        return [page]
            + subcommands.flatMap { subcommand in
                let child = type?.configuration.subcommands.first { $0._commandName == subcommand["commandName"]?.string }
                return pages(for: subcommand, child, below: path)
            }
    }

    private static func synopsis(of command: JSONValue, path: [String], hasSubcommands: Bool) -> [HelpPage.Block] {
        let operands = (command["arguments"]?.array ?? []).filter { $0["kind"]?.string == "positional" }.map { operand -> String in
            let name = operand["valueName"]?.string ?? ""
            let text = "<\(name)>" + (operand["isRepeating"]?.bool == true ? "..." : "")
            return operand["isOptional"]?.bool == true ? "[\(text)]" : text
        }
        let words = path + ["[options]"] + operands + (hasSubcommands ? ["[command]"] : [])
        return [.heading("Synopsis"), .code([words.joined(separator: " ")])]
    }

    private static func description(of command: JSONValue) -> [HelpPage.Block] {
        let abstract = command["abstract"]?.string ?? ""
        let discussion = command["discussion"]?.string ?? ""
        let paragraphs = discussion.split(separator: "\n\n").map { HelpPage.Block.paragraph(String($0)) }
        return [.heading("Description"), .paragraph(abstract)] + paragraphs
    }

    private static func options(of command: JSONValue) -> [HelpPage.Term] {
        arguments(of: command, kind: "option") + arguments(of: command, kind: "flag")
    }

    private static func arguments(of command: JSONValue, kind: String) -> [HelpPage.Term] {
        (command["arguments"]?.array ?? []).filter { $0["kind"]?.string == kind && $0["shouldDisplay"]?.bool != false }.map { argument in
            let value = argument["valueName"]?.string ?? ""
            let names = (argument["names"]?.array ?? []).compactMap { name -> String? in
                guard let text = name["name"]?.string else { return nil }
                return name["kind"]?.string == "short" ? "-\(text)" : "--\(text)"
            }
            let word =
                switch kind {
                case "positional": "<\(value)>"
                case "option": names.joined(separator: ", ") + " <\(value)>"
                default: names.joined(separator: ", ")
                }
            let defaultText = argument["defaultValue"]?.string.map { " Default: \($0)." } ?? ""
            return HelpPage.Term(word, (argument["abstract"]?.string ?? "") + defaultText)
        }
    }

    private static func list(_ heading: String, _ terms: [HelpPage.Term]) -> [HelpPage.Block] {
        terms.isEmpty ? [] : [.heading(heading), .terms(terms)]
    }

    private static func line(_ command: JSONValue) -> HelpPage.Term? {
        command["commandName"]?.string.map { HelpPage.Term($0, command["abstract"]?.string ?? "") }
    }

    private static func seeAlso(_ path: [String]) -> [HelpPage.Block] {
        let others =
            path.count == 1 ? HelpTopics.all.map { "\($0.manualName)(\($0.section.rawValue))" } : ["yett(1)", "yett-exit-status(7)"]
        return [.heading("See also"), .paragraph(others.joined(separator: ", "))]
    }

    /// Returns a sentence as a clause: without its full stop, and in lower case if it begins with a plain word.
    private static func clause(_ sentence: String) -> String {
        var text = sentence
        while text.last == "." { text.removeLast() }
        guard let second = text.dropFirst().first, second.isLowercase else { return text }
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}
