/// The interface of the engine. The terminal app and the commands use the engine only through it.
///
/// An implementation works in this process or forwards to the agent over a socket; callers cannot tell the difference. Every method may be
/// called from any task at any time. The operations are in this folder, most of them with a method of the same meaning.
package protocol SessionService: Sendable {
    /// Carries out an operation.
    func perform<Operation: SessionOperation>(_ operation: Operation) async throws(AuthFailure) -> Operation.Reply

    /// Starts a sign-in. Does not open a browser: the caller does that on ``SignInEvent/available(_:)``.
    func signIn(_ request: SignInRequest) async throws(AuthFailure) -> SignInAttempt

    /// Returns a stream of changes from now on. The stream ends when the session service ends.
    func events(_ selection: SessionServiceEvent.Selection) async -> AsyncStream<SessionServiceEvent>

    // MARK: The store's process

    /// Unlocks the store if that needs no user: its key is in a file or keyring, and the user did not lock the store explicitly. Does
    /// nothing if it is already open, needs the user, or belongs to another process. Throws if the key is not available.
    func unlockIfNoPassphraseNeeded() async throws(AuthFailure)

    /// Sends the due revocations that could not be sent at sign-out (RFC 7009 section 2.2.1).
    ///
    /// - Returns: when the next revocation is due; `nil` if none is pending, the store is locked, or another process has it.
    func deliverRevocations() async -> Timestamp?

    /// Waits for the responses to pending requests whose loss could cost a session, seals the results, and sends no more such requests.
    /// Call this before the process ends.
    func shutDown() async
}

extension SessionServiceEvent {
    /// The part of the events that an observer gets.
    package enum Selection: Sendable {
        case all
        /// Without the activity: a reader of every token request would slow them down.
        case changes
        /// All, for a caller that shows each ``SessionServiceEvent/asked(_:)`` to the user and calls
        /// ``SessionService/answerQuestion(_:allows:from:)``. Consent questions are asked only while such a stream is open.
        case interactive
    }
}

/// The engine, which owns the store, implements both.
extension SessionService {
    /// Sends nothing: another process delivers the revocations.
    package func deliverRevocations() async -> Timestamp? { nil }

    /// Waits for nothing: another process finishes the requests.
    package func shutDown() async {}
}

extension SessionService {
    package func events() async -> AsyncStream<SessionServiceEvent> { await events(.all) }

    /// Signs out of every session that must end with the process. Deletes a session locally if it cannot be revoked.
    package func endProcessSessions() async {
        guard let ending = try? await providers().filter(\.endsWithProcess).map(\.name), !ending.isEmpty,
            let sessions = try? await sessions()
        else { return }
        await withTaskGroup { group in
            for name in sessions.map(\.name) where ending.contains(name.provider) {
                group.addTask {
                    do throws(AuthFailure) {
                        _ = try await signOut(name, mode: .revoke)
                    } catch {
                        // A locked store cannot provide the token to revoke, but can delete the session.
                        _ = try? await signOut(name, mode: .localOnly)
                    }
                }
            }
        }
    }
}

/// All operations, for the agent's router and for tests.
package enum SessionOperations {
    package static let all: [any SessionOperation.Type] = [
        ListProviders.self, ReadProviderDetails.self, ListSessions.self, ShowSession.self, ChooseDefaultAccount.self, ListActivity.self,
        IssueToken.self, RenewSession.self, AdoptToken.self, CreateProof.self, ReadDerivedCredential.self, KeepDerivedCredential.self,
        ListRoles.self, IssueRoleCredentials.self,
        ListTokens.self, InspectToken.self, ListRemoteTokens.self, RevokeRemoteToken.self,
        PasteText.self, SubmitAnswers.self, RequestDeviceCode.self, CancelSignIn.self, AnswerQuestion.self,
        SignOutSession.self, AwaitBrowserReturn.self, StopWaitingForBrowser.self,
        KeepRegistration.self, RemoveRegistration.self, ReadSeal.self, UnlockStore.self, LockStore.self, ChangeSeal.self,
    ]
}

/// A change that the session service reports to its observers.
public enum SessionServiceEvent: Equatable, Sendable {
    /// The sessions changed; these are the current ones.
    case sessionsChanged([SessionSummary])
    /// The store was locked or unlocked.
    case storeStateChanged(StoreState)
    /// A new entry for the activity log.
    case activity(Activity)
    /// The user must decide whether a token is issued. Sent only to observers that answer questions.
    case asked(TokenConsentRequest)
    /// A question no longer needs an answer.
    case settled(TokenConsentRequest.ID)
}
