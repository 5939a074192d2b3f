internal import AuthModel

/// What is known of a well-known provider before it is asked: data, in one row each (``all``).
struct ProviderPreset: Sendable {
    /// Where its issuer is.
    enum Address: Sendable {
        case fixed(String)
        /// The person's own: `{}` is replaced by what they give. `what` names it.
        case own(String, what: String, example: String)
        /// It publishes no metadata; these are its endpoints.
        case endpoints([Setting])
        /// This version cannot sign in there: why, and what to do.
        case unsupported(reason: String, hint: String)
    }

    typealias Setting = (key: String, value: String)

    let name: String
    let address: Address
    var kind = ProviderKind.oidc
    /// The scopes that are of use; those that the provider does not offer are left out where it lists its own.
    var scopes: [String] = []
    /// The redirect to register, by the provider's rule for ports on loopback.
    var redirects: [String] = []
    var apiHosts: [String] = []
    var extraParameters: [Setting] = []
    /// The end of the host of its issuers, to know it by its address; empty where hosts are the person's own.
    var hostSuffix = ""
    /// What to know, one line each.
    var hints: [String] = []

    /// The preset of that name.
    static func named(_ text: String) -> ProviderPreset? { all.first { $0.name == text.lowercased() } }

    /// The preset whose issuers are at this host.
    static func recognising(_ issuer: Issuer) -> ProviderPreset? {
        let host = issuer.url.origin.host
        return all.first { !$0.hostSuffix.isEmpty && (host == $0.hostSuffix || host.hasSuffix("." + $0.hostSuffix)) }
    }

    /// The issuer for what the person gave with `--at`; `nil` at a provider without one. Throws `.usage`, and `.configuration` for a provider
    /// that this version cannot sign in to.
    func issuer(at place: String?) throws(AuthFailure) -> Issuer? {
        switch address {
        case .unsupported(let reason, let hint): throw AuthFailure(.configuration, reason, hint: hint)
        case .endpoints: return nil
        case .fixed(let text): return Issuer(text)
        case .own(let template, let what, let example):
            guard var place, !place.isEmpty else {
                throw AuthFailure(
                    .usage, "\(name) needs \(what)", hint: "add it with: yett providers add \(name) --at \(example)")
            }
            if place.hasPrefix("https://") { place.removeFirst("https://".count) }
            while place.hasSuffix("/") { place.removeLast() }
            guard let issuer = Issuer(template.replacing("{}", with: place)) else {
                throw AuthFailure(.usage, "'\(place)' is not \(what)", hint: "write it as: --at \(example)")
            }
            return issuer
        }
    }
}
