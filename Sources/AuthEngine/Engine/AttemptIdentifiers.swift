internal import Synchronization

/// Names for what is under way and waits for a person, unique in this process. They guard nothing: state and port do.
enum AttemptIdentifiers {
    enum Kind: String {
        case signIn = "attempt"
        case signOut = "return"
    }

    private static let count = Atomic<Int>(0)

    static func next(_ kind: Kind = .signIn) -> String {
        "\(kind.rawValue)-\(count.wrappingAdd(1, ordering: .relaxed).newValue)"
    }
}
