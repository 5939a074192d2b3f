internal import AuthModel
internal import OAuth

/// How an authorization request begins: with signing in, or with making an account.
struct AuthorizationPrompt {
    /// `prompt` of the request.
    var prompt: String?
    /// A page to make an account on first, at a provider that cannot be asked to begin with that.
    var signUpPage: WebURL?

    /// - Throws: `.configuration` when an account is to be made and the provider is known to have no way for it.
    init(request: SignInRequest, configuration: ProviderConfiguration, metadata: ProviderMetadata) throws(AuthFailure) {
        prompt = request.prompt
        guard request.purpose == .signUp else { return }
        if metadata.offersAccountCreation == true {
            prompt = "create"
        } else if let page = configuration.signUpURL {
            signUpPage = page
        } else {
            throw AuthFailure(
                .configuration, "\(configuration.name) does not say how accounts are made there",
                hint: "set sign_up_url in [providers.\(configuration.name)], or sign in: many sign-in pages offer it")
        }
    }
}
