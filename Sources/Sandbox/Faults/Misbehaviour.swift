/// Everything that a sandbox does wrong at the moment: any number of faults, each for ever or for some answers only.
///
/// ```swift
/// await sandbox.set([.idToken(.audienceWrong)])
/// await sandbox.set(Misbehaviour(.transport(.refresh, .unavailable), times: 2))
/// ```
public struct Misbehaviour: Equatable, Sendable {
    /// How often each fault still strikes; `nil` for ever.
    private var remaining: [Fault: Int?] = [:]

    /// Nothing: an honest provider.
    public static let none = Misbehaviour([])

    /// Faults that strike whenever they can.
    public init(_ faults: some Sequence<Fault>) {
        for fault in faults { remaining[fault] = .some(nil) }
    }

    /// One fault that strikes `times` times and is gone then.
    public init(_ fault: Fault, times: Int) {
        if times > 0 { remaining[fault] = times }
    }

    /// Faults by their names, for a command line.
    ///
    /// - Throws: ``UnknownFault`` for the first name that is none.
    public init(names: some Sequence<String>) throws(UnknownFault) {
        for name in names {
            guard let fault = Fault(name: name) else { throw UnknownFault(name: name) }
            remaining[fault] = .some(nil)
        }
    }

    /// The faults that may still strike, in the order of ``Fault/allCases``.
    public var faults: [Fault] { Fault.allCases.filter { remaining[$0] != nil } }

    /// The faults of both; where both have a fault, `other` says how often.
    public func and(_ other: Misbehaviour) -> Misbehaviour {
        var both = self
        both.remaining.merge(other.remaining) { $1 }
        return both
    }

    /// Whether a fault may still strike.
    public func contains(_ fault: Fault) -> Bool { remaining[fault] != nil }

    /// The faults among `candidates` that strike now, in order; one that strikes a limited number of times is used up by it.
    mutating func strike<Kind: CaseIterable>(
        _ candidates: Kind.Type, where isMeant: (Kind) -> Bool = { _ in true }, as fault: (Kind) -> Fault
    ) -> [Kind] {
        Kind.allCases.filter { isMeant($0) && take(fault($0)) }
    }

    /// Whether `fault` strikes now.
    mutating func take(_ fault: Fault) -> Bool {
        guard let times = remaining[fault] else { return false }
        if let times { remaining[fault] = times > 1 ? .some(times - 1) : nil }
        return true
    }
}

extension Misbehaviour: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: Fault...) { self.init(elements) }
}

/// A name that no fault has.
public struct UnknownFault: Error, Equatable, Sendable {
    public var name: String
    /// The names that resemble it, for a hint.
    public var nearest: [String] {
        let words = Set(name.split(separator: "-"))
        let ranked = Fault.allCases.map { fault in (fault.name, words.intersection(fault.name.split(separator: "-")).count) }
        let best = ranked.map(\.1).max() ?? 0
        return best == 0 ? [] : Array(ranked.filter { $0.1 == best }.map(\.0).prefix(3))
    }
}
