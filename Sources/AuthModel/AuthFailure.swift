/// Why something was not done: what happened, and what to do next.
///
/// The texts are one line each, lower case, without a full stop, and hold no secret, no response body and no URL query.
public struct AuthFailure: Error, Equatable, Sendable {
    /// What a failure means for what happens next. One case per exit code of the program.
    public enum Kind: Equatable, Sendable {
        /// A bug or something nobody foresaw.
        case bug
        /// The configuration, the store or the machine must be put right first.
        case configuration
        /// The person cancelled.
        case cancelled
        /// The person, browser or provider did not answer before the deadline.
        case timedOut
        /// The provider said no; `code` is its OAuth error code, where it gave one.
        case denied(code: String?)
        /// The grant is dead: only a new sign-in helps.
        case signInAgain
        /// Network or server trouble: trying again may help, not before `retryAfter` where the server said so.
        case unavailable(retryAfter: Duration?)
        /// Something was not exactly right, and going on could harm the person.
        case security
        /// There is no such session.
        case notSignedIn
        /// There is such a session already.
        case alreadySignedIn
        /// The command line is wrong.
        case usage
        /// There is nothing to sign in for: the provider is open. No trouble at all, but no session either.
        case notNeeded
        /// An account was asked for, and the person has something to do before it can be signed in with. No trouble, but no session either.
        case accountRequested
    }

    /// How often the same request may be sent again at once, also with something that is good for one use.
    public enum Repetition: Sendable {
        /// Not at all: the server may have acted.
        case none
        /// By a later command only: the answer was cut off or cannot be read, so the server has probably acted.
        case later
        /// Once: the connection was dropped without a byte of an answer, so the server may have acted, and nothing else is left to try.
        case once
        /// The server was not reached, or refused the request because of overload (429, 503).
        case freely
    }

    public var kind: Kind
    /// What happened.
    public var summary: String
    /// What to do next; `nil` where the summary says it.
    public var hint: String?
    /// Whether the same request may be sent again at once. It says how to go on and not what happened, so two failures are equal without
    /// it.
    public var repetition = Repetition.none
    /// How many answers that were not this sign-in's had come when its time was up; `nil` where that is not why it failed.
    public var rejectedCallbacks: Int?

    public init(_ kind: Kind, _ summary: String, hint: String? = nil) {
        self.kind = kind
        self.summary = summary
        self.hint = hint
    }

    /// The exit status of the program.
    public var exitCode: Int32 {
        switch kind {
        case .bug: 1
        case .configuration: 2
        case .cancelled: 3
        case .timedOut: 4
        case .denied: 5
        case .signInAgain: 6
        case .unavailable: 7
        case .security: 8
        case .notSignedIn: 9
        case .alreadySignedIn: 10
        case .usage: 64
        case .notNeeded, .accountRequested: 0
        }
    }

    public static func == (left: AuthFailure, right: AuthFailure) -> Bool {
        left.kind == right.kind && left.summary == right.summary && left.hint == right.hint
            && left.rejectedCallbacks == right.rejectedCallbacks
    }

    /// Whether something went wrong. What was not needed, or was only asked for, did not.
    public var isFailure: Bool { exitCode != 0 }

    /// Whether the same call may succeed later without anybody doing anything.
    public var isTransient: Bool {
        if case .unavailable = kind { true } else { false }
    }
}
