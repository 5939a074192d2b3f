import AuthModel
import Synchronization

/// Token requests, answered from memory where possible, and their record in the activity log.
extension AgentService {
    /// Answers a request for a token that is in the cache, without suspending the caller; `nil` for every other request, which
    /// ``answer(_:)`` answers.
    ///
    /// Each use is recorded in the activity log as any other.
    func cachedAnswer(_ request: AgentRequest) -> AgentAnswer? {
        guard let cachingService, request.method == "POST", request.target == Self.tokenPath, refusal(of: request) == nil,
            var wanted = knownRequests.request(in: request.body)
        else { return nil }
        let program = request.caller.program
        wanted.caller = request.caller.message(program)
        wanted.process = request.caller.process
        guard let cached = cachingService.cachedToken(for: wanted) else { return nil }
        uses.record(cached.issued.session, for: wanted, to: request.caller, program: program, at: time.now)
        return .document(status: 200, cached.document)
    }

    private static let tokenPath = IssueToken.route.path

    /// The session service, if it has a cache of issued tokens.
    private var cachingService: AgentSessionService? { service as? AgentSessionService }

    /// Runs a command for the launcher. The command uses this service as a client with the launcher's identity, so that every check and
    /// record is the same as if it had asked over the socket.
    func run(_ command: LauncherCommand, for request: AgentRequest) async throws(AuthFailure) -> LauncherCommand.Result {
        // Another version may print something else.
        guard let runCommand, (request.programVersion ?? facts.version) == facts.version else { throw LauncherCommand.needsProgram }
        return try await runCommand(command, AgentClient(service: self, caller: request.caller))
    }

    /// Issues a token and records which process got it.
    ///
    /// - Parameter application: what the caller calls itself, for the records only; on one line.
    func issue(_ request: TokenRequest, to caller: Caller, for application: String? = nil) async throws(AuthFailure) -> IssuedToken {
        let program = caller.program
        let message = caller.message(program, for: application)
        var request = request
        request.caller = message
        request.process = caller.process
        let issued: IssuedToken
        do throws(AuthFailure) {
            issued = try await service.token(request)
        } catch {
            if error.isFinalRefusal(request) {
                await recordRefusal(
                    UserMessage("activity.no_token_for_program", ["program": message, "detail": error.message]), of: request.session,
                    to: caller)
            }
            throw error
        }
        uses.record(issued.session, for: request, to: caller, program: program, at: time.now)
        return issued
    }

    /// Returns a kept credential and records which process got it; `nil` if there is none.
    func keptCredential(_ operation: ReadDerivedCredential, for caller: Caller) async throws(AuthFailure) -> DerivedCredential? {
        var operation = operation
        operation.request.caller = caller.message
        operation.request.process = caller.process
        let wanted = operation.request
        let kept: DerivedCredential?
        do throws(AuthFailure) {
            kept = try await service.perform(operation)
        } catch {
            if error.isTokenRefusal {
                await recordRefusal(
                    UserMessage("activity.no_token_for_program", ["program": caller.message, "detail": error.message]), of: wanted.session,
                    to: caller)
            }
            throw error
        }
        if kept != nil {
            await record(Activity(at: time.now, kind: .issued, session: wanted.session, message: wanted.keptCredentialMessage), of: caller)
        }
        return kept
    }

    /// Returns a proof for a token, and records a refusal.
    ///
    /// - Parameter isForwarded: whether a program on another machine asks.
    func proof(_ request: ProofRequest, to caller: Caller, isForwarded: Bool = false) async throws(AuthFailure) -> String {
        do throws(AuthFailure) {
            guard let cachingService else { return try await service.proof(request) }
            return try await cachingService.proof(request, for: caller.message, process: caller.process, isForwarded: isForwarded)
        } catch {
            if error.isTokenRefusal || error.needsConsent {
                await recordRefusal(
                    UserMessage("activity.no_proof_for_caller", ["caller": caller.message, "detail": error.message]), of: request.session,
                    to: caller)
            }
            throw error
        }
    }

    private func recordRefusal(_ message: UserMessage, of session: SessionName, to caller: Caller) async {
        await record(Activity(at: time.now, kind: .tokenRefused, session: session, message: message), of: caller)
    }

    private func record(_ activity: Activity, of caller: Caller) async {
        var activity = activity
        // Record the session with its account, as in other entries.
        if let session = activity.session, session.account == nil {
            let named = (try? await service.sessions())?.map(\.name).filter { $0.provider == session.provider } ?? []
            if named.count == 1 { activity.session = named[0] }
        }
        uses.record(activity, of: caller, program: caller.program)
    }
}

/// Keeps the parsed form of recent token requests by their exact bytes, because programs repeat the same request.
///
/// It keeps no request that contains a secret.
final class TokenRequestMemo: Sendable {
    private let requests = Mutex<[[UInt8]: TokenRequest]>([:])

    /// Maximum number of kept requests.
    static let limit = 64
    /// Maximum size of a kept request, in bytes.
    static let sizeLimit = 1024

    /// The number of kept requests.
    var count: Int { requests.withLock { $0.count } }

    /// Returns the request in a body; `nil` if the body is invalid, too long, has a secret, or may get another token each time.
    func request(in body: [UInt8]) -> TokenRequest? {
        guard body.count <= Self.sizeLimit else { return nil }
        if let known = requests.withLock({ $0[body] }) { return known }
        guard let value = try? JSONValue(strict: body, limits: JSONValue.Limits(bytes: Self.sizeLimit, depth: 8)),
            let request = try? TokenRequest(wire: value), request.isRepeatable,
            request.consent == nil
        else { return nil }
        requests.withLock { requests in
            if requests.count >= Self.limit { requests.removeAll() }
            requests[body] = request
        }
        return request
    }
}
