import TerminalUI
import Testing

struct KeyMapTests {
    private enum Action: Equatable { case signIn, renew, quit }

    private func map(renewable: Bool) -> KeyMap<Action> {
        KeyMap([
            KeyBinding(keys: [.character("s"), .enter], action: .signIn, label: "sign in", help: "sign in at the selected provider"),
            KeyBinding(
                keys: [.character("r")], action: .renew, label: "renew",
                unavailable: renewable ? nil : "this session has no refresh token"),
            KeyBinding(keys: [.character("q"), .control("c")], action: .quit, label: "quit", isHinted: false),
        ])
    }

    @Test func keyMapDecodesKeysAndListsHintsAndHelp() {
        let map = map(renewable: true)
        #expect(map.decide(.enter) == .action(.signIn))
        #expect(map.decide(.control("c")) == .action(.quit))
        #expect(map.decide(.character("z")) == .unbound)
        #expect(map.hints.map(\.label) == ["sign in", "renew"])
        #expect(map.merged.map(\.help) == ["sign in at the selected provider", "renew", "quit"])
    }

    /// A list has one row for what two keys do, also if they are two bindings, and none for a key that means something else first.
    @Test func bindingsWithTheSameTextsAreOneRow() {
        var map = map(renewable: true)
        map.bindings.append(KeyBinding(keys: [.character("x"), .control("c")], action: .renew, label: "quit"))
        map.bindings.append(KeyBinding(keys: [.character("x")], action: .renew, label: "quit", help: "quit at once"))
        #expect(map.merged.map(\.help) == ["sign in at the selected provider", "renew", "quit", "quit at once"])
        #expect(map.merged.map(\.keys.count) == [2, 1, 3, 1])
        let first = KeyMap<Action>([KeyBinding(keys: [.character("q"), .control("c")], action: .renew, label: "other")])
        #expect(map.below(first).bindings.map(\.label) == ["sign in", "renew", "quit", "quit"])
    }

    @Test func unavailableKeyStatesTheReasonAndHasNoHint() {
        let map = map(renewable: false)
        #expect(map.decide(.character("r")) == .unavailable("this session has no refresh token"))
        #expect(map.hints.map(\.label) == ["sign in"])
        #expect(map.merged.map(\.unavailable) == [nil, "this session has no refresh token", nil])
    }

    @Test func keyThatKeepsItsPlaceHasAHintBeforeItWorks() {
        let waits = KeyBinding(keys: [.character("r")], action: Action.renew, label: "renew", unavailable: "wait", keepsPlace: true)
        let map = KeyMap<Action>([waits])
        #expect(map.hints == [KeyHint(keys: [.character("r")], label: "renew", isEnabled: false)])
        #expect(map.decide(.character("r")) == .unavailable("wait"))
    }

    @Test(arguments: [
        (Key.character("s"), "s"), (.enter, "Enter"), (.control("c"), "^C"), (.backTab, "Shift-Tab"), (.alt("f"), "Alt-f"), (.up, "↑"),
        (.character(" "), "Space"), (.function(5), "F5"), (Key(.left, .control), "Ctrl-←"),
    ])
    func keysHaveLabels(key: Key, label: String) {
        #expect(key.label == label)
    }

    @Test func arrowsAreWordsInASCII() { #expect(Key.up.label(.ascii) == "Up") }
}
