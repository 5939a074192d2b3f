import Localization
import TerminalUI

extension Form {
    /// Adds the fields to a page; returns the rows of the focused field.
    ///
    /// - Parameters:
    ///   - columns: the width of the page.
    ///   - helpsBelow: whether the help of the focused field is below all fields, so that no field moves when the focus does. A low page
    ///     has it below its field, where it is visible.
    ///   - isActive: whether the form has the keyboard focus.
    func add(to page: inout Document, columns: Int, helpsBelow: Bool = false, isActive: Bool = true) -> Range<Int> {
        // Hidden fields count, so that the others keep their place when one appears.
        let labels = fields.filter { $0.content != .button }
        let labelWidth = min(28, (labels.map { SafeText.width(of: Self.label(of: $0)) }.max() ?? 0) + 3)
        let groupWidth = fields.compactMap { $0.group.map { SafeText.width(of: $0) + 3 } }.max() ?? 0
        var focused = 0..<0
        var group: String?
        for (index, field) in shown.enumerated() {
            let isFocused = isActive && field.id == focus
            let begins = field.group != nil && field.group != group
            if helpsBelow, index > 0, begins { page.blank() }
            group = field.group ?? group
            guard field.content != .button else {
                if helpsBelow { page.blank() }
                let note = shown.contains { $0.isRequired } ? tr("* required") : ""
                page.button(field.label, isFocused: isFocused, note: note, indent: groupWidth)
                page.mark(as: .field(index))
                if isFocused { focused = page.rows(columns: columns).count - 1..<page.rows(columns: columns).count }
                continue
            }
            let first = page.rows(columns: columns).count
            page.input(
                Self.label(of: field), field.content, labelWidth: labelWidth, isFocused: isFocused, group: begins ? field.group ?? "" : "",
                groupWidth: groupWidth)
            page.mark(as: .field(index))
            if let problem = field.problem {
                page.term("", Words.sentence(problem), .danger, width: groupWidth + labelWidth)
            } else if isFocused, !helpsBelow, let help = field.help {
                page.term("", help, .muted, width: groupWidth + labelWidth)
            }
            if isFocused { focused = first..<page.rows(columns: columns).count }
        }
        if helpsBelow, isActive, let field = self[focus] { addHelp(of: field, to: &page) }
        return focused
    }

    /// Returns the label of a field, with a mark if the field is required.
    private static func label(of field: FormField<ID>) -> String { field.label + (field.isRequired ? " *" : "") }

    /// Adds the options of a field, with the chosen one highlighted, and its help.
    private func addHelp(of field: FormField<ID>, to page: inout Document) {
        if case .choice(let options, let selected) = field.content, options.count > 2 {
            page.blank()
            let items = options.enumerated().map { index, option in
                Document.Span(option, index == selected ? .accent : .muted, index == selected ? .bold : [])
            }
            page.words(items.enumerated().flatMap { $0 == 0 ? [$1] : [Document.Span("   "), $1] })
        }
        guard field.problem == nil, let help = field.help else { return }
        page.blank()
        page.words(help, .muted)
    }

    /// Returns the actions of the form's keys, for a screen's table.
    ///
    /// - Parameter obstacle: why the form cannot be filled in now.
    static func actions<Target>(
        submit: String, obstacle: String? = nil, run: @escaping (inout Target, Action) -> ScreenResult
    ) -> [ScreenAction<Target>] {
        [
            ScreenAction(
                "form-submit", [.enter], label: submit, help: tr("go to the next field; in the last field, submit the form"),
                obstacle: obstacle, run: { run(&$0, .submit) }),
            ScreenAction(
                "form-next", [.tab, .down], label: FormWords.keyNext, help: tr("go to the next field; the arrow keys change a choice"),
                isHinted: submit != FormWords.keyNext,
                obstacle: obstacle, run: { run(&$0, .next) }),
            ScreenAction(
                "form-previous", [.backTab, .up], label: tr("previous field"), isHinted: false, obstacle: obstacle,
                run: { run(&$0, .previous) }),
        ]
    }
}
