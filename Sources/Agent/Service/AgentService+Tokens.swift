import AuthModel

/// Tokens for callers, with a record of each.
extension AgentService {
    /// Runs a command for the launcher. The command uses this service as a client with the launcher's identity, so that every check and
    /// record is the same as if it had asked over the socket.
    func run(_ command: LauncherCommand, for request: AgentRequest) async throws(AuthFailure) -> LauncherCommand.Result {
        // Another version may print something else.
        guard let runCommand, (request.programVersion ?? facts.version) == facts.version else { throw LauncherCommand.needsProgram }
        return try await runCommand(command, AgentClient(service: self, caller: request.caller))
    }

    /// Issues a token and records which process got it.
    func issue(_ request: TokenRequest, to caller: Caller) async throws(AuthFailure) -> IssuedToken {
        let program = caller.message
        var request = request
        request.caller = program
        request.process = caller.process
        let issued: IssuedToken
        do throws(AuthFailure) {
            issued = try await service.token(request)
        } catch {
            if error.isFinalRefusal(request) {
                await recordRefusal(
                    UserMessage("activity.no_token_for_program", ["program": program, "detail": error.message]), of: request.session,
                    to: caller)
            }
            throw error
        }
        let kind: UserMessage = request.wanted == .id ? "phrase.id_token" : "phrase.token"
        let message = UserMessage("activity.token_kind_issued_to", ["kind": kind, "caller": program, "terms": request.restrictions.note])
        log.append(
            ActivityRecord(
                Activity(at: time.now, kind: .issued, session: issued.session, message: message),
                process: caller.process, user: caller.user, program: caller.program))
        return issued
    }

    func proof(_ request: ProofRequest, to caller: Caller) async throws(AuthFailure) -> String {
        do throws(AuthFailure) {
            return try await service.proof(request)
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
        // Record the session with its account, as in other entries.
        let named = (try? await service.sessions())?.map(\.name).filter { $0.provider == session.provider } ?? []
        let session = session.account == nil && named.count == 1 ? named[0] : session
        log.append(
            ActivityRecord(
                Activity(at: time.now, kind: .tokenRefused, session: session, message: message),
                process: caller.process, user: caller.user, program: caller.program))
    }
}
