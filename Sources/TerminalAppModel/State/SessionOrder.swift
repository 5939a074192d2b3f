import AuthModel

/// A sort order for sessions.
package enum SessionOrder: Equatable, Sendable, CaseIterable {
    case name
    /// The earliest expiry first.
    case timeLeft
    /// Sessions that need the user first, then those that soon will.
    case attention
    /// The most recently used first.
    case lastUsed

    package var next: SessionOrder {
        let all = Self.allCases
        return all[((all.firstIndex(of: self) ?? 0) + 1) % all.count]
    }

    /// Returns indices into the model's sessions in this order. The sessions are sorted by name, and equal ones keep that order.
    package func sorted(_ indices: [Int], isGrouped: Bool, in model: AppModel) -> [Int] {
        guard self != .name || isGrouped, let sessions = model.sessions else { return indices }
        var keyed = indices.enumerated().map { place, index in (place: place, index: index, key: key(of: sessions[index], in: model)) }
        keyed.sort { left, right in
            if isGrouped, sessions[left.index].name.provider != sessions[right.index].name.provider {
                return sessions[left.index].name.provider < sessions[right.index].name.provider
            }
            return (left.key, left.place) < (right.key, right.place)
        }
        return keyed.map(\.index)
    }

    private func key(of session: SessionSummary, in model: AppModel) -> Int64 {
        switch self {
        case .name: 0
        case .timeLeft: session.accessExpiresAt?.milliseconds ?? .max
        case .attention: Int64(Self.urgency(model.state(of: session)))
        case .lastUsed: session.lastUsedAt.map { -$0.milliseconds } ?? .max
        }
    }

    private static func urgency(_ state: SessionState) -> Int {
        switch state {
        case .error: 0
        case .revoked: 1
        case .needsSignIn: 2
        case .expired: 3
        case .expiring: 4
        case .guest: 5
        case .signingIn, .renewing: 6
        case .signedIn: 7
        }
    }
}
