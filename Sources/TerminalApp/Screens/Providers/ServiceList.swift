import AuthModel
import TerminalUI

/// The well-known services with a filter, and a row for a provider that is given by its address.
struct ServiceList: Equatable, Sendable {
    /// A row of the list.
    enum Row: Equatable, Sendable {
        /// A provider given by its address: the filter's text, if it looks like one.
        case address(String)
        case service(ProviderPresetChoice)
    }

    private static let limit = 2000

    private let services: [ProviderPresetChoice]
    private(set) var filter: TextFieldContent
    private(set) var rows: [Row] = []
    var selected = 0

    /// - Parameter typed: the filter's text.
    init(_ services: [ProviderPresetChoice], typed: String = "") {
        // As a user reads them, not by the names for the command line.
        let ordered = services.enumerated().map { ($1.title.lowercased(), $0, $1) }.sorted { ($0.0, $0.1) < ($1.0, $1.1) }
        self.services = ordered.map(\.2)
        filter = TextFieldContent(typed, limit: Self.limit)
        match()
    }

    /// Returns the words that tell a service from others with the same title: the name of its mode; nil if no other has it.
    func distinction(of choice: ProviderPresetChoice) -> String? {
        services.contains { $0.title == choice.title && $0.mode != choice.mode } ? choice.mode.map(Words.spelled) : nil
    }

    /// The number of services that match.
    private(set) var count = 0

    mutating func type(_ input: TextInput) {
        let before = filter.text
        filter.type(input)
        if filter.text != before { match() }
    }

    mutating func clear() {
        filter.clear()
        match()
    }

    /// Finds the rows: first the services whose name begins with the text as a word, as `GitHub` with `git`, then those whose name begins
    /// with it, then the others; and a row for an address if the text may be one.
    private mutating func match() {
        let text = filter.text.filter { $0 != " " }
        let wanted = Filter(filter.text)
        let found = services.filter { $0.matches(wanted) }
        let begin = text.asciiLowercased()
        let ranked = found.enumerated().map { (rank: $1.rank(of: begin), place: $0, choice: $1) }
        let matching = ranked.sorted { ($0.rank, $0.place) < ($1.rank, $1.place) }.map { Row.service($0.choice) }
        let isAddress = text.contains { ".:/".contains($0) }
        let address = Row.address(isAddress ? text : "")
        rows = text.isEmpty ? [address] + matching : matching + (isAddress || matching.isEmpty ? [address] : [])
        count = Set(found.map(\.name)).count
        selected = 0
    }
}

extension ProviderPresetChoice {
    fileprivate func matches(_ filter: Filter) -> Bool { filter.fits(name, title, summary, mode ?? "", more: aliases) }

    /// Returns the place among those that match: a name that begins with the text as a word, one that begins with it, and any other.
    fileprivate func rank(of text: String) -> Int {
        let begun = text.isEmpty ? [] : ([name, title] + aliases).filter { $0.asciiLowercased().hasPrefix(text) }
        // What follows a word is no small letter: "GitHub", "git-tea", and the end of the name.
        let isWord = begun.contains { !($0.dropFirst(text.count).first?.isLowercase ?? false) }
        return isWord ? 0 : begun.isEmpty ? 2 : 1
    }
}
