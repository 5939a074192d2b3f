import AuthModel

/// What can be done with a session from anywhere, by finding it.
enum SessionDeed: CaseIterable, Hashable, Sendable {
    case open
    case inspect
    case renew
    case copyToken
    case signIn
    case signOut
    case forget

    func title(_ name: SessionName) -> String { title("\(name)") }

    /// What is said of it beside the session's name, for finding it.
    var words: String { title("") }

    private func title(_ name: String) -> String {
        switch self {
        case .open: PaletteWords.open(name)
        case .inspect: PaletteWords.inspect(name)
        case .renew: PaletteWords.renew(name)
        case .copyToken: PaletteWords.copyToken(name)
        case .signIn: PaletteWords.signIn(name)
        case .signOut: PaletteWords.signOut(name)
        case .forget: PaletteWords.forget(name)
        }
    }

    /// How it is begun; what finds it goes away.
    func step(for name: SessionName, in world: World) -> Step {
        switch self {
        case .open: return .replace(.session(name))
        case .inspect: return .replace(.inspector(name))
        case .signIn: return .replace(.signingIn(world.signInRequest(for: name)))
        case .renew, .copyToken, .signOut, .forget:
            var step = wish?.step(for: name) ?? .none
            if case .open(let destination) = step.move { step.move = .replace(destination) } else { step.move = .back }
            return step
        }
    }

    /// Why it cannot be done now; `nil` when it can.
    func obstacle(_ session: SessionSummary, in world: World) -> String? {
        wish == nil && world.isLocked ? LockWords.locked : SessionObstacle.to(wish, session, in: world)
    }

    private var wish: SessionWish? {
        switch self {
        case .open, .inspect, .signIn: nil
        case .renew: .renew
        case .copyToken: .copyToken
        case .signOut: .signOut
        case .forget: .forget
        }
    }
}
