public import AuthModel
public import TerminalUI

/// The terminal app.
public enum FrontDoor {
    /// Runs the app until the person leaves it. Blocks the calling thread, which must own `terminal`.
    ///
    /// - Parameters:
    ///   - keeper: the engine, in this process or behind a socket.
    ///   - themes: the themes that `t` goes through; never empty in practice, and without colours where it is.
    ///   - theme: the name of the one to begin with.
    /// - Returns: what must still be done when the terminal is given back; await its ``Leaving/finish()``.
    public static func run(
        on terminal: inout some Terminal, keeper: any Keeper, environment: FrontDoorEnvironment, themes: [Theme], theme: String
    ) -> Leaving {
        let performer = KeeperPerformer(keeper: keeper, environment: environment)
        var program = program(performer: performer, size: terminal.size, glyphs: terminal.glyphs, themes: themes, theme: theme)
        let time = environment.time
        _ = program.run(on: &terminal) { reading(of: time) }
        return Leaving(performer: performer)
    }

    /// The app at work, for a driver of its own.
    static func program(
        performer: KeeperPerformer, size: Size, glyphs: GlyphSet, themes: [Theme], theme: String
    ) -> Program<FrontDoorApp> {
        let environment = performer.environment
        let state = AppState(
            themes: themes, theme: theme, now: environment.time.now, asksGuests: environment.asksGuests, warnings: environment.warnings)
        return Program(
            FrontDoorApp.self, state: state, size: size, glyphs: glyphs, now: reading(of: environment.time), performer: performer)
    }

    private static func reading(of time: any TimeSource) -> ClockReading {
        ClockReading(civilMilliseconds: time.now.milliseconds, steady: time.bootTime)
    }

    /// What is left to do after the screen is gone.
    public struct Leaving: Sendable {
        let performer: KeeperPerformer

        /// Closes the ports of sign-ins that were under way, and waits for renewals and sign-outs: half of one could cost a session.
        public func finish() async { await performer.close() }
    }
}
