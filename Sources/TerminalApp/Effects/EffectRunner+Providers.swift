import AuthModel
import TerminalAppModel

extension EffectRunner {
    func find(_ draft: ProviderDraft) async -> Result<ProviderFinding, AuthFailure> {
        await outcome { onboarding throws(AuthFailure) in try await onboarding.find(draft) }
    }

    func add(_ offer: ProviderOffer) async -> Result<ProviderName, AuthFailure> {
        await outcome { onboarding throws(AuthFailure) in try await onboarding.add(offer) }
    }

    private func outcome<Value: Sendable>(
        _ call: (ProviderOnboarding) async throws(AuthFailure) -> Value
    ) async -> Result<Value, AuthFailure> {
        guard let onboarding = environment.onboarding else {
            return .failure(AuthFailure(.configuration, text: AddProviderWords.cannotAdd))
        }
        do throws(AuthFailure) {
            return .success(try await call(onboarding))
        } catch {
            return .failure(error)
        }
    }
}
