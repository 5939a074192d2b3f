import CursesBackend
import Glibc
import TerminalUI
import Testing

/// 24-bit colours on terminals whose description has 256.
struct DirectColorsTests {
    private func read(_ path: String) -> [UInt8]? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = fread(&bytes, 1, bytes.count, file)
        return Array(bytes.prefix(count))
    }

    private func description(_ term: String, _ environment: [String: String]) -> String? {
        DirectColors.description(term: term, environment: environment, read: read)
    }

    @Test(arguments: [
        ("xterm-256color", ["COLORTERM": "truecolor"]), ("xterm-256color", ["COLORTERM": "24bit"]),
        ("tmux-256color", ["COLORTERM": "truecolor", "TMUX": "/tmp/tmux"]),
        ("screen-256color", ["COLORTERM": "truecolor", "TMUX": "/tmp/tmux"]),
        ("xterm-256color", ["VTE_VERSION": "7006"]), ("xterm-256color", ["TERM_PROGRAM": "WezTerm"]),
    ])
    func terminalTakesThem(term: String, environment: [String: String]) {
        #expect(description(term, environment)?.hasPrefix("hex:1e02") == true)
    }

    @Test(arguments: [
        ("xterm-256color", [:]), ("xterm-256color", ["COLORTERM": "yes"]), ("screen-256color", ["COLORTERM": "truecolor"]),
        ("tmux-256color", ["TMUX": "/tmp/tmux", "VTE_VERSION": "7006"]), ("xterm-256color", ["VTE_VERSION": "3409"]),
        ("linux", ["COLORTERM": "truecolor"]), ("vt100", ["COLORTERM": "truecolor"]), ("no-such-terminal", ["COLORTERM": "truecolor"]),
        ("", ["COLORTERM": "truecolor"]), ("../x", ["COLORTERM": "truecolor"]),
        ("xterm-256color", ["COLORTERM": "truecolor", "TERMINFO": "hex:1e02"]),
    ])
    func terminalDoesNot(term: String, environment: [String: String]) {
        #expect(description(term, environment) == nil)
    }

    @Test(arguments: ["xterm-kitty", "foot", "alacritty", "foot-extra"])
    func terminalIsKnownByItsName(term: String) throws {
        // Its description may not be installed here; another one stands in its place.
        let file = try #require(read("/lib/terminfo/x/xterm-256color"))
        #expect(DirectColors.description(term: term, environment: [:]) { $0.hasSuffix("/" + term) ? file : nil } != nil)
    }

    /// The first folder that has the terminal counts (terminfo(5)).
    @Test func descriptionIsFoundInTheFoldersOfCurses() throws {
        let file = try #require(read("/lib/terminfo/x/xterm-256color"))
        var asked: [String] = []
        let environment = ["COLORTERM": "truecolor", "TERMINFO": "/t", "HOME": "/h", "TERMINFO_DIRS": "/d:"]
        let found = DirectColors.description(term: "xterm-256color", environment: environment) { path in
            asked.append(path)
            return path == "/usr/share/terminfo/78/xterm-256color" ? file : nil
        }
        #expect(found != nil)
        let folders = ["/t", "/h/.terminfo", "/d", "/etc/terminfo", "/lib/terminfo", "/usr/share/terminfo"]
        #expect(asked == folders.flatMap { ["\($0)/x/xterm-256color", "\($0)/78/xterm-256color"] })
    }

    /// A damaged file is not read beyond its end, and no description is made of it.
    @Test func damagedDescriptionIsIgnored() throws {
        let file = try #require(read("/lib/terminfo/x/xterm-256color"))
        for length in 0..<file.count - 1 {
            _ = DirectColors.description(term: "xterm", environment: ["COLORTERM": "truecolor"]) { _ in Array(file.prefix(length)) }
        }
        for position in 0..<12 {
            for value in [0x7F, 0xFF, 0x80] as [UInt8] {
                var damaged = file
                damaged[position] = value
                _ = DirectColors.description(term: "xterm", environment: ["COLORTERM": "truecolor"]) { _ in damaged }
            }
        }
    }

    /// The terminal gets the theme's own values.
    @Test(arguments: ["xterm-256color", "tmux-256color"])
    func bytesAreThoseOfTheTheme(term: String) throws {
        let description = try #require(self.description(term, ["COLORTERM": "truecolor", "TMUX": "/tmp/tmux"]))
        let terminal = try PseudoTerminal()
        try terminal.start(term: term, environment: ["LANG=C.UTF-8", "PROBE_TERMINFO=\(description)", "PROBE_COLOR=#ff8801"])
        try terminal.wait(for: "[ready trueColor")
        let output = String(decoding: terminal.output, as: UTF8.self)
        #expect(output.contains("\u{1B}[38;2;255;136;1m"), "\(output.debugDescription.prefix(2000))")
        try terminal.quit()
    }
}
