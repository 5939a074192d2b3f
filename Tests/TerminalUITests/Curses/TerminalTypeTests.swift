import Testing

@testable import CursesBackend

@Suite struct TerminalTypeTests {
    @Test(arguments: [
        ("vt220", ["vt220", "xterm-256color"], "vt220"), ("xterm-kitty", ["xterm-256color"], "xterm-256color"),
        ("foot", ["xterm-256color"], "xterm-256color"), ("tmux-256color", ["xterm-256color"], "xterm-256color"),
        ("screen.rio", ["xterm-256color"], "xterm-256color"), ("wezterm", [], nil), ("footage", ["xterm-256color"], nil),
        ("", ["xterm-256color"], nil), ("dumb", ["xterm-256color"], nil),
    ])
    func knownFamiliesFallBack(term: String, usable: [String], name: String?) {
        let type = TerminalType(term) { usable.contains($0) }
        #expect(type?.name == name)
        #expect(type.map(\.isFallback) == name.map { $0 != term })
    }
}
