import AuthModel
import Localization
import TerminalUI

extension PaletteScreen {
    /// The maximum number of sessions with a matching name that get all their actions. With more matches, each can only be opened.
    private static let fullActionLimit = 3

    /// The maximum number of matches that contain only the letters.
    private static let fuzzyLimit = 50
    /// The number of texts with the letters that are compared, so that a key press stays fast with ten thousand sessions.
    private static let fuzzyCandidates = 500

    /// Returns the matches: actions, then sessions by name, then providers, then other actions on sessions. If no text contains the words,
    /// returns those that contain their letters in order, best first.
    func found() -> [Match] {
        let wanted = Filter(filter.text)
        let actions = actions.indices.filter { index in
            let entry = self.actions[index]
            let title = [entry.verb, entry.label, entry.title].compactMap(\.self).joined(separator: " ")
            return wanted.fits(title, more: PaletteWords.synonyms(of: title))
        }.map { (index: $0, rank: rank(of: self.actions[$0])) }.sorted { ($0.rank, $0.index) < ($1.rank, $1.index) }.map(\.index)
        func title(_ provider: Int) -> String { SigningInWords.title(SignInRequest(provider: self.providers[provider])) }
        let providers = providers.indices.filter { wanted.fits(title($0)) }
        let (named, done) = sessionMatches(wanted)
        // What begins with the text before what contains it.
        let begun = actions.prefix { filter.isEmpty || rank(of: self.actions[$0]) == 0 }
        let begunProviders = providers.filter { !filter.isEmpty && title($0).lowercased().hasPrefix(filter.text.lowercased()) }
        let all =
            begun.map(Match.action) + begunProviders.map(Match.provider) + named + actions.dropFirst(begun.count).map(Match.action)
            + providers.filter { !begunProviders.contains($0) }.map(Match.provider) + done
        return all.isEmpty ? fuzzyMatches() : all
    }

    /// Returns the place of an action among those that match: the recent ones first, and last what leaves the screen or does not work now;
    /// if something is typed, those whose name begins with it.
    private func rank(of entry: Entry) -> Int {
        if filter.isEmpty { return entry.place * (recent.count + 1) + (recent.firstIndex(of: entry.title) ?? recent.count) }
        let names = [entry.label, entry.verb ?? entry.title].compactMap { $0?.lowercased() }
        return names.contains { $0.hasPrefix(filter.text.lowercased()) } ? 0 : 1
    }

    private func fuzzyMatches() -> [Match] {
        let words = filter.text.lowercased().split(separator: " ").map { Array($0.utf8) }
        var scored: [(match: Match, score: Int)] = []
        func add(_ match: Match, _ title: String) {
            guard scored.count < Self.fuzzyCandidates, words.allSatisfy({ FuzzyMatch.mayMatch($0, title) }),
                let found = FuzzyMatch(filter.text, in: title)
            else { return }
            scored.append((match, found.score))
        }
        for (index, entry) in actions.enumerated() {
            let count = scored.count
            if let verb = entry.verb { add(.action(index), verb) }
            if scored.count == count { add(.action(index), entry.title) }
        }
        for (index, name) in providers.enumerated() { add(.provider(index), SigningInWords.title(SignInRequest(provider: name))) }
        for action in PaletteSessionAction.allCases where action != .open {
            for index in sessions.indices.prefix(Self.fuzzyLimit) { add(.session(index, action), action.words) }
        }
        for (index, name) in sessions.enumerated() { add(.session(index, .open), name.description) }
        // The order of equal matches is that of the list.
        let order = scored.indices.sorted { (-scored[$0].score, $0) < (-scored[$1].score, $1) }
        return order.prefix(Self.fuzzyLimit).map { scored[$0].match }
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
                let known = fitting[rest] ?? actions.filter { rest.fits($0.words, more: PaletteWords.synonyms(of: $0.words)) }.map(\.action)
                fitting[rest] = known
                done += known.map { .session(index, $0) }
            }
        }
        let isFew = named.count <= Self.fullActionLimit && !wanted.isEmpty
        return (named.flatMap { index in (isFew ? PaletteSessionAction.allCases : [.open]).map { .session(index, $0) } }, done)
    }
    /// Returns an entry for each theme that is not in use.
    static func themes(in model: AppModel) -> [Entry] {
        model.themes.filter { $0 != model.themeName }.map { name in
            let save = Command.saveSetting(SettingChange(.theme, .word(name)))
            return Entry(title: PaletteWords.switchTheme(name), effect: .apply(ScreenResult(commands: [save], move: .back)))
        }
    }

    /// Returns the actions that every screen offers, in the order of the registry.
    static func places(in model: AppModel) -> [Entry] { ScreenRegistry.screens.flatMap { $0.paletteEntries(in: model) } }
}

/// An action on a session that the palette offers.
enum PaletteSessionAction: CaseIterable, Hashable, Sendable {
    case open
    case inspect
    case renew
    case copyToken
    case signIn
    case signOut
    case forget

    func title(_ name: SessionName) -> String { title("\(name)") }

    /// The action's text without the session's name, for the search.
    var words: String { title("") }

    private func title(_ name: String) -> String {
        switch self {
        case .open: PaletteWords.open(name)
        case .inspect: tr("inspect the tokens of {1}", name)
        case .renew: PaletteWords.renew(name)
        case .copyToken: tr("copy a token of {1}", name)
        case .signIn: tr("sign in again to {1}", name)
        case .signOut: tr("sign out of {1}", name)
        case .forget: tr("forget {1}", name)
        }
    }

    /// Returns the result that starts the action and closes the palette.
    func step(for name: SessionName, in model: AppModel) -> ScreenResult {
        switch self {
        case .open: return .replace(.session(name))
        case .inspect: return .replace(.inspector(name))
        case .signIn: return .replace(.signingIn(model.signInRequest(for: name)))
        case .renew, .copyToken, .signOut, .forget:
            var step = sessionAction?.step(for: name) ?? .none
            if case .open(let destination) = step.move { step.move = .replace(destination) } else { step.move = .back }
            return step
        }
    }

    /// Returns why the action is not available now; nil if it is.
    func obstacle(_ session: SessionSummary, in model: AppModel) -> String? {
        if let sessionAction { sessionAction.obstacle(for: session, in: model) } else { model.lockObstacle }
    }

    private var sessionAction: SessionAction? {
        switch self {
        case .open, .inspect, .signIn: nil
        case .renew: .renew
        case .copyToken: .copyToken
        case .signOut: .signOut
        case .forget: .forget
        }
    }
}
