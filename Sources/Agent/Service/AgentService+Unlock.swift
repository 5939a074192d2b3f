import AuthModel

extension AgentService {
    /// Unlocks the store with a passphrase, when it is the caller's turn to try.
    func unlock(with passphrase: Secret, _ caller: Caller) async throws(AuthFailure) -> AgentAnswer {
        guard try await service.seal() != .unlocked else { return .json(SealState.unlocked.wire) }
        let attempt: UnlockThrottle.Attempt
        switch await unlocking.turn(of: caller) {
        case .turn(let own): attempt = own
        case .refused(let pause):
            let refusal = AuthFailure(
                .unavailable(retryAfter: pause), "agent.other_passphrase_checked",
                hint: UserMessage("hint.try_again_in_seconds", ["seconds": max(1, pause.wholeSeconds)])
            )
            return .failure(refusal, status: 429)
        case .cancelled: throw AuthFailure(.cancelled, "process.cancelled")
        }
        do throws(AuthFailure) {
            // Another caller may have unlocked the store meanwhile.
            if try await service.seal() != .unlocked { try await service.unlock(passphrase: passphrase) }
        } catch {
            await unlocking.end(attempt, wasRight: false)
            throw error
        }
        await unlocking.end(attempt, wasRight: true)
        return .json(try await service.seal().wire)
    }
}
