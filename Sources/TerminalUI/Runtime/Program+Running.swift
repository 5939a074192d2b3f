extension Program {
    /// Runs until the application quits; blocks the calling thread, which must own `terminal`.
    ///
    /// The loop draws if the state changed, then waits for input, the mailbox, or the next tick. Nothing else wakes an application that
    /// needs no tick. At the end, every running command is cancelled.
    ///
    /// - Returns: the last state.
    public mutating func run<T: Terminal>(on terminal: inout T, clock: () -> ClockReading) -> App.State {
        mailbox.connect(terminal.wake)
        defer {
            mailbox.connect(nil)
            runner.cancelAll()
        }
        var outcome = start()
        var drawn: App.State?
        var usesMouse = false
        var shownTitle: String?
        while outcome != .ends {
            if outcome == .suspend {
                terminal.stop()
                forgetScreen()
                drawn = nil
            }
            outcome = tick(at: clock())
            guard outcome == .goesOn else { continue }
            if drawn != state, let changes = draw() { terminal.present(changes) }
            drawn = state
            if let title = App.title(in: state), title != shownTitle {
                shownTitle = title
                terminal.show(title: title)
            }
            if App.usesMouse(in: state) != usesMouse {
                usesMouse.toggle()
                terminal.useMouse(usesMouse)
            }
            let events = terminal.wait(atMost: untilTick(at: clock()))
            outcome = handle(events, at: clock())
            if events.contains(where: \.needsDrawing) { drawn = nil }
            if outcome != .ends { outcome = outcome.joined(with: handleMail(clock: clock)) }
        }
        return state
    }
}

extension InputEvent {
    /// Whether the screen must be redrawn even if the state is unchanged.
    fileprivate var needsDrawing: Bool {
        switch self {
        case .resized, .resumed: true
        case .key, .paste, .mouse, .terminated: false
        }
    }
}
