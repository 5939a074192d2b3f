import Themes

/// A theme that ships with the program, as in its file.
enum ThemeFixture {
    static var gate: [UInt8] { Themes.all.first { $0.name == "gate" }?.content ?? [] }
}
