internal import Synchronization

/// Names for sign-in attempts, unique in this process. They guard nothing: state and port do.
enum AttemptNames {
    private static let count = Atomic<Int>(0)

    static func next() -> String {
        "attempt-\(count.wrappingAdd(1, ordering: .relaxed).newValue)"
    }
}
