import AuthModel
import Fuzzing
import Sandbox

/// An operation that the client performs at the hostile provider, with the sandbox settings for it.
package enum Scene: String, Sendable, CaseIterable {
    case browser
    /// The request is pushed (RFC 9126).
    case pushed
    /// The tokens are bound to a key (RFC 9449), with nonces.
    case proof
    case device
    case renewal
    case signOut
    /// Userinfo is a JWT.
    case signedUserInfo
    /// A client is registered (RFC 7591) and deleted (RFC 7592).
    case registration
    /// The provider introspects a token (RFC 7662).
    case introspection
    /// A resource is asked for its authorization servers (RFC 9728).
    case resource
    /// The browser is sent to end the provider's own session, and comes back.
    case endSession

    var sandbox: SandboxConfiguration {
        var configuration = SandboxConfiguration(autoApproves: "ada")
        switch self {
        case .pushed: configuration.pushedRequests = .required
        case .proof:
            configuration.proofs = .init(support: .required, authorizationServerNonces: .rotating, resourceNonces: .fixed)
        case .signedUserInfo: configuration.userInfo = .jwt
        case .browser, .device, .renewal, .signOut, .registration, .introspection, .resource, .endSession: break
        }
        return configuration
    }

    /// The responses to damage; more frequent entries are chosen more often.
    var places: [Place] {
        switch self {
        case .browser, .proof: [.discovery, .keys, .authorize, .authorize, .token, .token, .token, .userInfo]
        case .pushed: [.pushed, .pushed, .pushed, .authorize, .token, .discovery]
        case .device: [.device, .device, .device, .token, .token, .userInfo, .discovery, .keys]
        case .renewal: [.token, .token, .token, .discovery, .keys]
        case .signOut: [.revocation, .revocation, .revocation, .discovery]
        case .signedUserInfo: [.signedUserInfo]
        case .registration: [.registration, .registration, .registration, .discovery]
        case .introspection: [.introspection, .introspection, .introspection, .discovery]
        case .resource: [.resource, .resource, .resourceMetadata, .resourceMetadata]
        case .endSession: [.endSession, .endSession, .endSession, .discovery]
        }
    }

    /// The sandbox's own faults that have an effect here. Faults in signatures have none, because the proxy signs again.
    private var faults: [Fault] {
        Fault.allCases.filter { fault in
            switch (self, fault) {
            // Excluded: a hanging request would make the run slow.
            case (_, .transport(.userInfo, .hanging)), (_, .transport(.token, .hanging)), (_, .transport(.discovery, .hanging)): false
            case (.renewal, .refresh), (.renewal, .refreshedIDToken), (.renewal, .transport(.refresh, _)): true
            case (.signOut, .transport(.revocation, _)): true
            case (.endSession, .logout(.stateMissing)), (.endSession, .logout(.stateWrong)), (.endSession, .logout(.never)): true
            case (.registration, .registration), (.registration, .transport(.registration, _)): true
            case (.resource, .resource), (.resource, .transport(.resourceMetadata, _)), (.resource, .transport(.resource, _)): true
            case (.device, .device), (.device, .transport(.device, _)): true
            case (.pushed, .pushed), (.pushed, .transport(.pushed, _)): true
            case (.proof, .proof): true
            case (.browser, .callback), (.browser, .discovery), (.browser, .token), (.browser, .idToken), (.browser, .userInfo): true
            case (.browser, .transport(.userInfo, _)), (.browser, .transport(.token, _)), (.browser, .transport(.discovery, _)): true
            default: false
            }
        }
    }

    func fault(using generator: inout SeededGenerator) -> Fault? {
        let faults = faults
        return faults.isEmpty ? nil : generator.pick(faults)
    }
}
