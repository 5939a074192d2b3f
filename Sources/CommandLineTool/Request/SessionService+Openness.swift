internal import AuthModel

extension SessionService {
    /// Whether a provider says that nobody has to sign in there, so that its resources are asked without a token. Asks the provider; one
    /// that does not answer is not open.
    func isOpen(_ provider: ProviderName) async -> Bool {
        guard let details = try? await details(of: provider) else { return false }
        return !details.isSignInRequired
    }
}
