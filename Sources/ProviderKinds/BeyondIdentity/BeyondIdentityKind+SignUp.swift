internal import AuthEngine
internal import AuthModel
internal import UserConfiguration

/// Reading of the sign-up settings.
extension BeyondIdentityKind {
    private enum SignUpKind: String, CaseIterable {
        case form, browser
    }

    func signUp(_ table: any SettingsTable) throws(AuthFailure) -> BeyondIdentityConfiguration.SignUp? {
        guard let page = try table.url("signup_url") else {
            try table.refuse(["signup_kind", "signup_body"], because: "phrase.signup_url_not_set")
            return nil
        }
        guard try table.word("signup_kind", as: SignUpKind.self) == .browser else { return .form(page, try signUpBody(table)) }
        try table.refuse(["signup_body"], because: "phrase.signup_url_is_page")
        return .browser(page)
    }

    private func signUpBody(_ table: any SettingsTable) throws(AuthFailure) -> SignUpBody {
        guard let text = try table.text("signup_body") else { return .standard }
        guard let template = try? JSONValue(strict: text), let body = SignUpBody(template) else {
            throw table.error(
                UserMessage("beyond_identity.signup_body_invalid"), at: "signup_body",
                hint: "hint.beyond_identity_signup_body_form")
        }
        return body
    }
}
