internal import AuthModel

extension SessionService {
    /// Asks the provider whether its resources can be used without signing in. Returns `false` if the provider does not respond.
    func isOpen(_ provider: ProviderName) async -> Bool {
        guard let details = try? await details(of: provider) else { return false }
        return !details.isSignInRequired
    }
}
