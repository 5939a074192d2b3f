import AuthModel
import TerminalUI

extension PaletteScreen {
    /// Where more sessions than these have the name that was typed, each is there once, to be opened.
    private static let fewSessions = 3

    /// What fits the words typed: actions, then sessions by name, then providers, then what else can be done with sessions.
    func found() -> [Match] {
        let wanted = Filter(filter.text)
        let actions = actions.indices.filter { wanted.fits(self.actions[$0].title) }.map(Match.action)
        let providers = providers.indices.filter { wanted.fits(SigningInWords.title(SignInRequest(provider: self.providers[$0]))) }
        let (named, done) = sessionMatches(wanted)
        return actions + named + providers.map(Match.provider) + done
    }

    /// The sessions whose names hold every word, and every deed that holds the words which the name beside it does not.
    ///
    /// A session is looked at once, whatever the number of deeds.
    private func sessionMatches(_ wanted: Filter) -> (named: [Match], done: [Match]) {
        let deeds = SessionDeed.allCases.map { (deed: $0, words: $0.words) }
        var fitting: [Filter: [SessionDeed]] = [:]
        var named: [Int] = []
        var done: [Match] = []
        for (index, name) in sessions.enumerated() {
            let rest = wanted.missing(from: name.description)
            if rest.isEmpty {
                named.append(index)
            } else {
                let known = fitting[rest] ?? deeds.filter { rest.fits($0.words) }.map(\.deed)
                fitting[rest] = known
                done += known.map { .session(index, $0) }
            }
        }
        let isFew = named.count <= Self.fewSessions && !wanted.isEmpty
        return (named.flatMap { index in (isFew ? SessionDeed.allCases : [.open]).map { .session(index, $0) } }, done)
    }

    /// Where one can go from everywhere; what the screen below has a key for itself is not said twice.
    static func places(in world: World) -> [Entry] {
        let locked = world.isLocked ? LockWords.locked : nil
        let nowhere = world.providers?.isEmpty == true ? FrontDoorWords.nothingToChoose : nil
        let none = world.sessions?.isEmpty != false ? SessionsWords.nothingMarked : nil
        return [
            Entry(
                title: FrontDoorWords.helpSignIn, obstacle: locked ?? nowhere,
                effect: .take(.replace(.picker(.signIn, preferred: nil)))),
            Entry(
                title: FrontDoorWords.helpSignUp, obstacle: locked ?? nowhere,
                effect: .take(.replace(.picker(.signUp, preferred: nil)))),
            Entry(title: SessionsWords.helpActivity, effect: .take(.replace(.activity))),
            Entry(title: TimelineWords.help, obstacle: none, effect: .take(.replace(.timeline(nil)))),
            Entry(
                title: AddProviderWords.helpNew, obstacle: world.presets == nil ? AddProviderWords.cannotAdd : nil,
                effect: .take(.replace(.addProvider))),
            Entry(
                title: SignOutWords.helpEverywhere, obstacle: none ?? (world.isLocked ? LockWords.lockedSignOut : nil),
                effect: .take(.replace(.confirm(SignOutWords.everywhere(world.sessions?.count ?? 0))))),
        ]
    }
}
