import TerminalUI

extension Form {
    /// Adds the fields to a page; returns the rows of the focused field.
    ///
    /// - Parameters:
    ///   - columns: the width of the page.
    ///   - helpsBelow: whether the help of the focused field is below all fields, so that no field moves when the focus does. A low page
    ///     has it below its field, where it is visible.
    func add(to page: inout Document, columns: Int, helpsBelow: Bool = false) -> Range<Int> {
        // Hidden fields count, so that the others keep their place when one appears.
        let labelWidth = min(28, (fields.map { SafeText.width(of: $0.label) }.max() ?? 0) + 3)
        var focused = 0..<0
        for (index, field) in shown.enumerated() {
            let first = page.rows(columns: columns).count
            let isFocused = field.id == focus
            page.input(field.label, field.content.input, labelWidth: labelWidth, isFocused: isFocused)
            page.mark(as: .field(index))
            if let problem = field.problem {
                page.term("", Words.sentence(problem), .danger, width: labelWidth)
            } else if isFocused, !helpsBelow, let help = field.help {
                page.term("", help, .muted, width: labelWidth)
            }
            if isFocused { focused = first..<page.rows(columns: columns).count }
        }
        if helpsBelow, let field = self[focus] { addHelp(of: field, to: &page) }
        return focused
    }

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
}

extension Form {
    /// Returns the form's key bindings for a screen's table.
    static func bindings<Outer>(_ action: (Action) -> Outer, submit: String) -> [KeyBinding<Outer>] {
        [
            KeyBinding(keys: [.enter], action: action(.submit), label: submit, help: FormWords.helpSubmit),
            KeyBinding(
                keys: [.tab, .down], action: action(.next), label: FormWords.keyNext, help: FormWords.helpNext,
                isHinted: submit != FormWords.keyNext),
            KeyBinding(keys: [.backTab, .up], action: action(.previous), label: FormWords.keyPrevious, isHinted: false),
        ]
    }
}
