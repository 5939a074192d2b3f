internal import TerminalApp
internal import TerminalUI

extension HelpTopics {
    /// The keys of the app, generated from the key table.
    static let keys: HelpPage = {
        let reference = KeyReference()
        let introduction: [HelpPage.Block] = [
            .paragraph(
                """
                What the keys of the app do, by the names that [keys.SCREEN] of the configuration has for screens and actions. In the app ? shows
                those of the screen you look at, and : finds any of them by typing. Where letters are text, only keys without a letter and keys
                with ctrl or alt can be given to an action. ctrl-c and ctrl-z mean the same everywhere.
                """),
            .code(["[keys.sessions]", "renew = \"ctrl-r\"", "sort = [\"z\", \"f2\"]"]),
        ]
        return HelpPage(
            name: "keys", section: .files, summary: "the keys of the app, and the names to change them by",
            blocks: reference.screens.reduce(introduction) { blocks, screen in
                let entries = reference.entries.filter { $0.screen == screen }
                return blocks + [
                    .heading(screen),
                    .terms(entries.map { .init($0.action, "\($0.keys.map(\.name).joined(separator: ", ")): \($0.help)") }),
                ]
            })
    }()
}
