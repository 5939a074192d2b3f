import TerminalApp
import TerminalAppModel
import TerminalUI

extension HelpTopics {
    /// The keys of the app, generated from the key table.
    package static let keys: HelpPage = {
        let reference = KeyReference()
        let introduction: [HelpPage.Block] = [
            .paragraph(
                """
                The app's keys, with the names of screens and actions that [keys.SCREEN] in the configuration uses. In the app, ? shows the keys of
                the current screen, and : finds any action as you type. On screens where letters are text, an action can only have a key
                that is not a letter, or a key with ctrl or alt. ctrl-c and ctrl-z do the same on every screen.
                """),
            .code(["[keys.sessions]", "renew = \"ctrl-r\"", "sort = [\"z\", \"f2\"]"]),
        ]
        return HelpPage(
            name: "keys", section: .files, summary: "the app's keys, and how to change them",
            blocks: reference.screens.reduce(introduction) { blocks, screen in
                let entries = reference.entries.filter { $0.screen == screen }
                return blocks + [
                    .heading(screen),
                    .terms(entries.map { .init($0.action, "\($0.keys.map(\.name).joined(separator: ", ")): \($0.help)") }),
                ]
            },
            examples: [
                """
                [keys.sessions]
                renew = "ctrl-r"
                """: "In config.toml, renews the selected session with Ctrl-R."
            ])
    }()
}
