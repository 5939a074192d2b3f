import AuthModel
import TerminalAppModel
import TerminalUI

extension PaletteScreen {
    /// The maximum number of sessions with a matching name that get all their actions. With more matches, each can only be opened.
    private static let fullActionLimit = 3

    /// Returns the matches: actions, then sessions by name, then providers, then other actions on sessions.
    func found() -> [Match] {
        let wanted = Filter(filter.text)
        let actions = actions.indices.filter { wanted.fits(self.actions[$0].title) }.map(Match.action)
        let providers = providers.indices.filter { wanted.fits(SigningInWords.title(SignInRequest(provider: self.providers[$0]))) }
        let (named, done) = sessionMatches(wanted)
        return actions + named + providers.map(Match.provider) + done
    }

    /// Returns the sessions whose names contain every word, and the session actions that contain the words missing from the name.
    ///
    /// It reads each session once, for any number of actions.
    private func sessionMatches(_ wanted: Filter) -> (named: [Match], done: [Match]) {
        let actions = PaletteSessionAction.allCases.map { (action: $0, words: $0.words) }
        var fitting: [Filter: [PaletteSessionAction]] = [:]
        var named: [Int] = []
        var done: [Match] = []
        for (index, name) in sessions.enumerated() {
            let rest = wanted.missing(from: name.description)
            if rest.isEmpty {
                named.append(index)
            } else {
                let known = fitting[rest] ?? actions.filter { rest.fits($0.words) }.map(\.action)
                fitting[rest] = known
                done += known.map { .session(index, $0) }
            }
        }
        let isFew = named.count <= Self.fullActionLimit && !wanted.isEmpty
        return (named.flatMap { index in (isFew ? PaletteSessionAction.allCases : [.open]).map { .session(index, $0) } }, done)
    }
    /// Returns the actions that every screen offers, in the order of the registry.
    static func places(in model: AppModel) -> [Entry] { ScreenRegistry.screens.flatMap { $0.paletteEntries(in: model) } }
}
