internal import AuthEngine
internal import AuthModel
internal import OAuth

/// The start of an authorization request: signing in, or creating an account.
struct AuthorizationPrompt {
    /// The `prompt` parameter of the request.
    var prompt: String?
    /// A page on which to create an account first, for a provider that does not support `prompt=create`.
    var signUpPage: WebURL?

    /// Chooses the prompt.
    ///
    /// - Throws: `.configuration` if the user wants a new account and the provider has no known way to create one.
    init(request: SignInRequest, configuration: ProviderConfiguration, metadata: ProviderMetadata) throws(AuthFailure) {
        prompt = request.prompt
        guard request.purpose == .signUp else { return }
        if metadata.offersAccountCreation == true {
            prompt = "create"
        } else if let page = configuration.signUpURL {
            signUpPage = page
        } else {
            throw AuthFailure(
                .configuration, UserMessage("sign_up.not_supported", ["provider": configuration.name]),
                hint: UserMessage("hint.set_sign_up_url", ["provider": configuration.name]))
        }
    }
}
