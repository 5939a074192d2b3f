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

/// An event of a sign-in attempt. `type` distinguishes the events.
extension SignInEvent: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue {
        switch self {
        case .planned(let steps): .members(("type", "planned"), ("steps", steps.wire(texts)))
        case .began(let step): .members(("type", "began"), ("step", step.wire(texts)))
        case .completed(let step): .members(("type", "completed"), ("step", step.wire(texts)))
        case .stepFailed(let step, let failure):
            .members(("type", "step_failed"), ("step", step.wire(texts)), ("error", failure.wire(texts)))
        case .hosts(let authorization, let token):
            .members(("type", "hosts"), ("authorization", .string(authorization)), ("token", .string(token)))
        case .available(let method): .members(("type", "opened"), ("way_in", method.wire(texts)))
        case .asked(let form): .members(("type", "asked"), ("form", form.wire(texts)))
        case .deviceCodeOffered: .members(("type", "device_code_offered"))
        case .deviceCodeRefused(let reason): .members(("type", "device_code_refused")).with(reason.members("reason", texts))
        case .authenticator(let page): .members(("type", "authenticator"), ("page", .string(page.text)))
        case .deadline(let moment): .members(("type", "deadline"), ("at", moment.wire))
        case .ignoredCallback(let reason): .members(("type", "ignored_callback")).with(reason.members("reason", texts))
        case .warning(let message): .members(("type", "warning")).with(message.members("text", texts))
        case .finished(.success(let session)): .members(("type", "finished"), ("session", session.wire(texts)))
        case .finished(.failure(let failure)): .members(("type", "finished"), ("error", failure.wire(texts)))
        case .finishedWithoutSession(let end): .members(("type", "finished"), ("error", end.wire(texts)))
        }
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "event")
        switch try reader.text("type") {
        case "planned": self = .planned(try reader.list("steps"))
        case "began": self = .began(try reader.nested("step"))
        case "completed": self = .completed(try reader.nested("step"))
        case "step_failed": self = .stepFailed(try reader.nested("step"), try reader.nested("error"))
        case "hosts": self = .hosts(authorization: try reader.text("authorization"), token: try reader.text("token"))
        case "opened": self = .available(try reader.nested("way_in"))
        case "asked": self = .asked(try reader.nested("form"))
        case "device_code_offered": self = .deviceCodeOffered
        case "device_code_refused": self = .deviceCodeRefused(reason: try reader.message("reason"))
        case "authenticator": self = .authenticator(page: try reader.url("page"))
        case "deadline": self = .deadline(try reader.moment("at"))
        case "ignored_callback": self = .ignoredCallback(reason: try reader.message("reason"))
        case "warning": self = .warning(try reader.message("text"))
        case "finished":
            if let error = reader.value("error") {
                let isEnd = error["kind"]?.string.flatMap(NoSession.Reason.init) != nil
                self = isEnd ? .finishedWithoutSession(try reader.nested("error")) : .finished(.failure(try reader.nested("error")))
            } else {
                self = .finished(.success(try reader.nested("session")))
            }
        default: throw WireError(place: "type")
        }
    }
}

extension SessionServiceEvent: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue {
        switch self {
        case .sessionsChanged(let sessions): .members(("type", "sessions_changed"), ("sessions", sessions.wire(texts)))
        case .storeStateChanged(let seal): .members(("type", "seal_changed"), ("seal", seal.wire(texts)))
        case .activity(let activity): .members(("type", "activity"), ("activity", activity.wire(texts)))
        case .asked(let question): .members(("type", "asked"), ("question", question.wire(texts)))
        case .settled(let id): .members(("type", "settled"), ("id", .string(id.text)))
        }
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "event")
        switch try reader.text("type") {
        case "sessions_changed":
            // A session that cannot be read is skipped; a client that requests the list reports it.
            self = .sessionsChanged(try reader.readable("sessions"))
        case "seal_changed": self = .storeStateChanged(try reader.nested("seal"))
        case "activity": self = .activity(try reader.nested("activity"))
        case "asked": self = .asked(try reader.nested("question"))
        case "settled": self = .settled(TokenConsentRequest.ID(try reader.text("id")))
        default: throw WireError(place: "type")
        }
    }
}

extension TokenConsentRequest: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue {
        .members(
            ("id", .string(id.text)), ("session", .string(session.description)), ("kind", .string(wanted.rawValue)),
            ("process", process.map { JSONValue.number($0) } ?? .null),
            ("destination", JSONValue(destination)), ("scopes", JSONValue(restrictions.scopes.values)),
            ("audience", JSONValue(restrictions.audience)), ("role", JSONValue(subject?.word)), ("deadline", deadline.wire)
        ).with(program.members("program", texts))
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "question")
        self.init(
            id: ID(try reader.text("id")), session: try reader.session(), wanted: try reader.word("kind"),
            restrictions: try TokenRestrictions(reader),
            program: try reader.message("program"), process: try reader.optional("process") { $0.integer.flatMap(Int32.init(exactly:)) },
            destination: try reader.optionalText("destination"),
            subject: try reader.optionalText("role").map { TokenRequest.RoleSubject(word: $0) }, deadline: try reader.moment("deadline"))
    }
}

extension TokenRequest.RoleSubject {
    /// The role, or `*` for the list of roles.
    fileprivate var word: String { if case .credentials(let role) = self { role } else { "*" } }

    fileprivate init(word: String) { self = word == "*" ? .list : .credentials(word) }
}

extension Activity.Kind {
    /// A word of this version, or one that an activity log of an earlier version holds.
    fileprivate init?(word: String) { self.init(rawValue: word == "hand_out_refused" ? Self.tokenRefused.rawValue : word) }
}

extension Activity: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue {
        .members(
            ("at", at.wire), ("kind", .string(kind.rawValue)), ("session", JSONValue(session?.description))
        ).with(message.members("text", texts)).with(count == 1 ? [] : [.init("count", .number(count))])
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "activity")
        self.init(
            at: try reader.moment("at"), kind: try reader.required("kind") { $0.string.flatMap(Kind.init(word:)) },
            session: try reader.optional("session") { $0.string.flatMap(SessionName.init(_:)) }, message: try reader.message("text"),
            count: try reader.optional("count") { $0.integer.flatMap { $0 > 0 ? Int(exactly: $0) : nil } } ?? 1)
    }
}
