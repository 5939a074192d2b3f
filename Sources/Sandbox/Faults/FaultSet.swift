/// The active faults of a sandbox: each always, or for a limited number of responses.
///
/// ```swift
/// await sandbox.set([.idToken(.audienceWrong)])
/// await sandbox.set(Misbehaviour(.transport(.refresh, .unavailable), times: 2))
/// ```
public struct FaultSet: Equatable, Sendable {
    /// The number of times that each fault still takes effect; `nil` for no limit.
    private var remaining: [Fault: Int?] = [:]

    /// No faults: a correct provider.
    public static let none = FaultSet([])

    /// Creates a set of faults without a limit.
    public init(_ faults: some Sequence<Fault>) {
        for fault in faults { remaining[fault] = .some(nil) }
    }

    /// Creates a set of one fault that takes effect `times` times.
    public init(_ fault: Fault, times: Int) {
        if times > 0 { remaining[fault] = times }
    }

    /// Creates a set of faults from their names, for a command line.
    ///
    /// - Throws: ``UnknownFault`` for the first unknown name.
    public init(names: some Sequence<String>) throws(UnknownFault) {
        for name in names {
            guard let fault = Fault(name: name) else { throw UnknownFault(name: name) }
            remaining[fault] = .some(nil)
        }
    }

    /// The active faults, in the order of ``Fault/allCases``.
    public var faults: [Fault] { Fault.allCases.filter { remaining[$0] != nil } }

    /// Returns the faults of both; if both have a fault, the limit of `other` applies.
    public func and(_ other: FaultSet) -> FaultSet {
        var both = self
        both.remaining.merge(other.remaining) { $1 }
        return both
    }

    /// Returns whether a fault is active.
    public func contains(_ fault: Fault) -> Bool { remaining[fault] != nil }

    /// Returns the faults among `candidates` that take effect now, in order, and counts their limits down.
    mutating func consumeFaults<Kind: CaseIterable>(
        _ candidates: Kind.Type, where isIntended: (Kind) -> Bool = { _ in true }, as fault: (Kind) -> Fault
    ) -> [Kind] {
        Kind.allCases.filter { isIntended($0) && take(fault($0)) }
    }

    /// Returns whether `fault` takes effect now, and counts its limit down.
    mutating func take(_ fault: Fault) -> Bool {
        guard let times = remaining[fault] else { return false }
        if let times { remaining[fault] = times > 1 ? .some(times - 1) : nil }
        return true
    }
}

extension FaultSet: ExpressibleByArrayLiteral {
    /// Creates a set of faults without a limit.
    public init(arrayLiteral elements: Fault...) { self.init(elements) }
}

/// An unknown name of a fault.
public struct UnknownFault: Error, Equatable, Sendable {
    /// The unknown name.
    public var name: String
    /// Similar names of faults, for a hint.
    public var nearest: [String] {
        let words = Set(name.split(separator: "-"))
        let ranked = Fault.allCases.map { fault in (fault.name, words.intersection(fault.name.split(separator: "-")).count) }
        let best = ranked.map(\.1).max() ?? 0
        return best == 0 ? [] : Array(ranked.filter { $0.1 == best }.map(\.0).prefix(3))
    }
}
