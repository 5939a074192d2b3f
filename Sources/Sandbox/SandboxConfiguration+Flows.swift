extension SandboxConfiguration {
    /// Signing in on a device without a browser (RFC 8628).
    public struct Device: Equatable, Sendable {
        /// Whether there is an endpoint for it, announced in metadata.
        public var isOffered: Bool
        /// How long a device code is good.
        public var codeLifetime: Duration
        /// How long a client has to wait between two polls; whole seconds.
        public var interval: Duration

        public init(isOffered: Bool = true, codeLifetime: Duration = .seconds(600), interval: Duration = .seconds(5)) {
            self.isOffered = isOffered
            self.codeLifetime = codeLifetime
            self.interval = interval
        }
    }
}

extension SandboxConfiguration {
    /// What becomes of pushed authorization requests (RFC 9126).
    public enum PushedRequests: String, Sendable, CaseIterable {
        /// There is no endpoint for them.
        case off
        case offered
        /// Nothing else is taken, and metadata says so.
        case required
    }

    /// Tokens that are bound to a key (RFC 9449).
    public struct Proofs: Equatable, Sendable {
        /// What becomes of a proof.
        public enum Support: String, Sendable, CaseIterable {
            /// Proofs are not looked at.
            case off
            case offered
            /// There are no tokens without one.
            case required
        }

        /// Whether a proof needs a nonce of the server that it is for.
        public enum Nonces: String, Sendable, CaseIterable {
            case none
            /// One, which stays good.
            case fixed
            /// A new one with every answer; only the newest is good.
            case rotating
        }

        public var support: Support
        /// At the token endpoint and for pushed requests.
        public var authorizationServerNonces: Nonces
        /// At userinfo and every other resource.
        public var resourceNonces: Nonces

        public init(support: Support = .off, authorizationServerNonces: Nonces = .none, resourceNonces: Nonces = .none) {
            self.support = support
            self.authorizationServerNonces = authorizationServerNonces
            self.resourceNonces = resourceNonces
        }
    }
}

extension SandboxConfiguration {
    /// The protected resources beside the provider (RFC 9728).
    public struct Resources: Equatable, Sendable {
        /// The issuers whose tokens they take; empty for this provider itself. Tokens of another sandbox are introspected there.
        public var authorizationServers: [String]
        /// What `/api/vault` wants to see in `acr`, in order of preference (RFC 9470).
        public var vaultClasses: [String]
        /// How long ago a person may have signed in to open `/api/vault`; `nil` for ever.
        public var vaultMaximumAge: Duration?

        public init(
            authorizationServers: [String] = [], vaultClasses: [String] = ["urn:yett:sandbox:password-again"],
            vaultMaximumAge: Duration? = .seconds(300)
        ) {
            self.authorizationServers = authorizationServers
            self.vaultClasses = vaultClasses
            self.vaultMaximumAge = vaultMaximumAge
        }
    }
}
