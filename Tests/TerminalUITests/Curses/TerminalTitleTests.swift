import Foundation
import Glibc
import Testing

@testable import CursesBackend

/// The title of the window is the program's while it runs, and the former one afterwards.
@Suite(.serialized) struct TerminalTitleTests {
    private static let save = "\u{1B}[22;2t"
    private static let restore = "\u{1B}[23;2t"
    /// The probe's title, sanitised.
    private static let title = "\u{1B}]2;title\u{FFFD}\u{FFFD}[31m\u{7}"

    private func count(_ sequence: String, in terminal: PseudoTerminal) -> Int { terminal.text.components(separatedBy: sequence).count - 1 }

    /// The keys end the probe normally, with `exit`, and with a crash.
    @Test(arguments: ["q", "x", "s"])
    func titleIsSavedShownAndRestored(key: String) throws {
        let terminal = try PseudoTerminal.started()
        terminal.send("T")
        try terminal.wait(for: Self.title)
        #expect(count(Self.save, in: terminal) == 1)
        #expect(count(Self.restore, in: terminal) == 0)
        terminal.send(key)
        _ = try terminal.finish()
        #expect(count(Self.restore, in: terminal) == 1)
    }

    @Test func stoppedProgramShowsTheFormerTitle() throws {
        let terminal = try PseudoTerminal.started()
        terminal.send("T")
        try terminal.wait(for: Self.title)
        terminal.send("\u{1A}")
        try terminal.wait(for: Self.restore)
        try terminal.wait(for: Self.save)
        try terminal.wait(for: Self.title)
        try terminal.quit()
        #expect(count(Self.save, in: terminal) == 2)
        #expect(count(Self.restore, in: terminal) == 2)
    }

    /// A SIGSTOP gives the program no time to restore the title, so it must not save its own one afterwards.
    @Test func titleIsSavedOnceIfTheProgramWasStoppedByForce() throws {
        let terminal = try PseudoTerminal.started()
        kill(terminal.process, SIGSTOP)
        var status: Int32 = 0
        #expect(waitpid(terminal.process, &status, WUNTRACED) == terminal.process)
        kill(terminal.process, SIGCONT)
        try terminal.wait(for: "[resumed]")
        try terminal.quit()
        #expect(count(Self.save, in: terminal) == 1)
        #expect(count(Self.restore, in: terminal) == 1)
    }

    @Test(arguments: ["linux", "vt220"])
    func terminalWithoutATitleGetsNoTitleSequences(term: String) throws {
        let terminal = try PseudoTerminal.started(term)
        terminal.send("T")
        try terminal.wait(for: "[key T]")
        try terminal.quit()
        #expect([Self.save, Self.restore, "\u{1B}]2;"].allSatisfy { count($0, in: terminal) == 0 })
    }

    @Test(
        arguments: [
            ("xterm", true), ("xterm-256color", true), ("tmux-256color", true), ("screen.xterm-256color", true), ("st", true),
            ("st-256color", true), ("foot", true), ("alacritty-direct", true), ("linux", false), ("dumb", false), ("stv52", false),
            ("vt100", false), ("", false),
        ])
    func titleDependsOnTheTerminal(term: String, hasTitle: Bool) {
        #expect(CursesTerminal.hasTitle(term: term) == hasTitle)
    }
}
