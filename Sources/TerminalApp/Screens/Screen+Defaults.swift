import AuthModel
import TerminalAppModel
import TerminalUI

extension Screen {
    /// Returns the key table with the reasons for unavailable keys.
    func keys(in model: AppModel) -> KeyMap<Action> {
        let bindings =
            model.keys.isEmpty ? bindings(in: model) : model.keys.applied(to: bindings(in: model), on: Self.name, takesText: takesText)
        return KeyMap(bindings.map { $0.unavailable(because: obstacle(to: $0.action, in: model)) })
    }

    static var name: String {
        let type = "\(Self.self)"
        return ActionName.of(type.hasSuffix("Screen") ? String(type.dropLast("Screen".count)) : type)
    }
    func obstacle(to action: Action, in model: AppModel) -> String? { nil }
    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult { .none }
    func plainField(in model: AppModel) -> PlainField? { nil }
    func isBusy(in model: AppModel) -> Bool { false }
    func selectedRow(in model: AppModel) -> Int? { nil }
    mutating func mark(row: Int, in model: AppModel) {}
    mutating func choose(part: Int, in model: AppModel) -> ScreenResult { .none }
    mutating func select(_ session: SessionName, in model: AppModel) {}
    mutating func focus(field: Int, in model: AppModel) {}
    mutating func settle(in model: AppModel) -> [Command] { [] }
    var takesText: Bool { false }
    mutating func type(_ input: TextInput, in model: AppModel) -> ScreenResult { .none }
    func status(in model: AppModel) -> String { "" }
    func strip(in model: AppModel, columns: Int, glyphs: GlyphSet) -> TextLine? { nil }
    func isAnimated(in model: AppModel) -> Bool { false }
    func needsTicks(in model: AppModel) -> Bool { false }

    var floats: Bool { false }
    var openingCommands: [Command] { [] }
    var closingCommands: [Command] { [] }
    var interruptionNotice: Notice? { nil }
    var sessionToForget: SessionName? { nil }
    var staysOpenAtHome: Bool { false }
    mutating func uncover() {}
    var allowsProblemAbove: Bool { false }
    func reports(_ message: Message) -> Bool { false }
    func previewedTheme(in model: AppModel) -> String? { nil }
    var ticksAsPlainPrompts: Bool { false }
    static func home(in model: AppModel) -> Self? { nil }
    func staysHome(in model: AppModel) -> Bool { false }
    static func paletteEntries(in model: AppModel) -> [PaletteScreen.Entry] { [] }
    static func examples(of session: SessionName, in model: AppModel) -> [Self] { [] }
}
