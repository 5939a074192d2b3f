/// How sure this provider is of a person (OpenID Connect Core section 2, `acr`).
enum AuthenticationClass: String, Sendable, CaseIterable, Comparable {
    /// Somebody signed in in this browser before.
    case password = "urn:yett:sandbox:password"
    /// The password was typed for this very request.
    case again = "urn:yett:sandbox:password-again"

    static func < (left: Self, right: Self) -> Bool { left == .password && right == .again }

    /// The first of `values`, in order of preference, that there is (section 3.1.2.1, `acr_values`).
    init?(preferredOf values: String?) {
        guard let first = (values ?? "").split(separator: " ").lazy.compactMap({ Self(rawValue: String($0)) }).first else { return nil }
        self = first
    }
}
