/// The strength of a user's authentication (OpenID Connect Core section 2, `acr`).
enum AuthenticationClass: String, Sendable, CaseIterable, Comparable {
    /// The user signed in earlier in this browser.
    case password = "urn:yett:sandbox:password"
    /// The user entered the password for this request.
    case again = "urn:yett:sandbox:password-again"

    static func < (left: Self, right: Self) -> Bool { left == .password && right == .again }

    /// Returns the first known class of `values`, which are in order of preference (section 3.1.2.1, `acr_values`).
    init?(preferredOf values: String?) {
        guard let first = (values ?? "").split(separator: " ").lazy.compactMap({ Self(rawValue: String($0)) }).first else { return nil }
        self = first
    }
}
