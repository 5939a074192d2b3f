import TerminalAppModel
import TerminalUI

extension Movement {
    /// Returns the movement keys, which are the same on every screen. The footer shows them once.
    ///
    /// - Parameters:
    ///   - lettersMove: false where letters are text.
    ///   - tabMoves: whether Tab moves through the choices, from the last to the first.
    static func bindings<Action>(
        _ action: (Movement) -> Action, label: String, isHinted: Bool = true, lettersMove: Bool = true, tabMoves: Bool = false
    ) -> [KeyBinding<Action>] {
        func letter(_ character: Character) -> [Key] { lettersMove ? [.character(character)] : [] }
        let tabs =
            tabMoves
            ? [
                KeyBinding(keys: [.tab], action: action(.next), label: label, isHinted: false),
                KeyBinding(keys: [.backTab], action: action(.previous), label: label, isHinted: false),
            ] : []
        return [
            KeyBinding(keys: [.down] + letter("j"), action: action(.down), label: label, help: CommonWords.helpDown, isHinted: isHinted),
            KeyBinding(keys: [.up] + letter("k"), action: action(.up), label: label, help: CommonWords.helpUp, isHinted: false),
            KeyBinding(
                keys: [.pageDown] + (lettersMove ? [.character(" "), .control("f")] : []), action: action(.pageDown), label: label,
                help: CommonWords.helpPageDown, isHinted: false),
            KeyBinding(
                keys: [.pageUp] + (lettersMove ? [.control("b")] : []), action: action(.pageUp), label: label, help: CommonWords.helpPageUp,
                isHinted: false),
            KeyBinding(keys: [.home] + letter("g"), action: action(.first), label: label, help: CommonWords.helpFirst, isHinted: false),
            KeyBinding(keys: [.end] + letter("G"), action: action(.last), label: label, help: CommonWords.helpLast, isHinted: false),
        ] + tabs
    }
}
