internal import Synchronization

/// Creates identifiers for operations that wait for the user, unique in this process. They are not secret: the state parameter and the port
/// protect an attempt.
package enum AttemptIdentifiers {
    package enum Kind: String {
        case signIn = "attempt"
        case signOut = "return"
    }

    private static let count = Atomic<Int>(0)

    package static func next(_ kind: Kind = .signIn) -> String {
        "\(kind.rawValue)-\(count.wrappingAdd(1, ordering: .relaxed).newValue)"
    }
}
