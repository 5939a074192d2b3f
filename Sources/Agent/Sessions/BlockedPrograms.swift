import AuthModel
import Synchronization

/// The programs that get no token (`[agent] blocked_programs`), as the configuration says now.
///
/// It stops a program that asks for tokens without the user's wish. It is no wall against a program that wants to deceive the agent: such a
/// program can run another one that asks for it.
public final class BlockedPrograms: Sendable {
    private let paths: Mutex<Set<String>>

    /// Creates the set with the paths in the configuration.
    public init(_ paths: [String] = []) { self.paths = Mutex(Set(paths)) }

    /// Takes the paths of a changed configuration.
    public func set(_ paths: [String]) { self.paths.withLock { $0 = Set(paths) } }

    /// Returns the failure for a blocked program; `nil` if none is blocked: neither the one that a message names, nor one through which it
    /// asks, such as the shell that it runs yett in.
    func refusal(of caller: UserMessage?, process: Int32?) -> AuthFailure? {
        let paths = paths.withLock { $0 }
        guard !paths.isEmpty else { return nil }
        if let path = caller?.programPath, paths.contains(path) { return .programBlocked(path) }
        let passed = process.map { Caller(process: $0, user: 0).programs } ?? []
        let path = passed.lazy.compactMap { UserMessage.verbatim($0).programPath }.first { paths.contains($0) }
        return path.map { .programBlocked($0) }
    }
}
